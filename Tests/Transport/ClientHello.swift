import CLibSSL
import Glibc
import MildamSystem

@testable import MildamTransport

/// What a client says first, as bytes.
enum ClientHello {
    /// One that offers these groups, in OpenSSL's names, and a key in the first of them.
    static func offering(_ groups: String) throws -> [UInt8] {
        guard let method = unsafe TLS_client_method(), let context = unsafe SSL_CTX_new(method) else {
            throw TLSFailure.protocolError(code: 0)
        }
        defer { unsafe SSL_CTX_free(context) }
        unsafe mildam_ssl_ctx_set_min_version(context, TLS1_3_VERSION)
        guard unsafe mildam_ssl_ctx_set_groups(context, groups) == 1, let session = unsafe SSL_new(context) else {
            throw TLSFailure.protocolError(code: 1)
        }
        defer { unsafe SSL_free(session) }
        return try said { descriptor in
            unsafe SSL_set_fd(session, descriptor)
            unsafe SSL_set_connect_state(session)
            unsafe SSL_do_handshake(session)
        }
    }

    /// What our own client says.
    static func ours() throws -> [UInt8] {
        let context = try TLSContext(client: TLSClientConfiguration(), host: "localhost")
        return try said { descriptor in
            _ = try context.makeSession(over: descriptor, isServer: false).handshake()
        }
    }

    /// What is written into a socket that nobody answers on.
    private static func said(_ speak: (Int32) throws -> Void) throws -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError.last("make two sockets") }
        let near = Descriptor(owning: ends[0])
        let far = Descriptor(owning: ends[1])
        try speak(near.number)
        var buffer = [UInt8](repeating: 0, count: 20_000)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(far.number, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw TransportError.closed }
        return Array(buffer[..<count])
    }
}
