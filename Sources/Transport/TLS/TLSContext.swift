import CLibSSL
import Glibc
import MildamSystem

/// What the sessions of one server, or of one client, have in common.
@safe
final class TLSContext: @unchecked Sendable {  // set up in init; SSL_CTX counts its references atomically
    private let handle: OpaquePointer
    private let expectation: TLSExpectation

    /// A server's context, with its certificate and key read and matched, whatever day it is.
    init(server configuration: TLSServerConfiguration) throws(TLSFailure) {
        guard let method = unsafe TLS_server_method(), let handle = unsafe SSL_CTX_new(method) else {
            throw .protocolError(code: 0)
        }
        unsafe self.handle = unsafe handle
        expectation = .anyone
        try unsafe Self.harden(handle)
        let (chain, key) = (configuration.certificateChainFile, configuration.privateKeyFile)
        for file in [chain, key] { try Self.checkReadable(file) }
        // The key first: one that does not belong to the certificate is then told from one that cannot be read.
        try unsafe Self.readKey(key, into: handle)
        ERR_clear_error()
        guard unsafe SSL_CTX_use_certificate_chain_file(handle, chain) == 1 else {
            throw .configuration(file: chain, Self.fault(where: PEM_R_NO_START_LINE, is: .noCertificate))
        }
        guard unsafe SSL_CTX_check_private_key(handle) == 1 else { throw .configuration(file: key, .otherKey) }
    }

    private static func checkReadable(_ file: String) throws(TLSFailure) {
        do throws(SystemError) {
            _ = try Descriptor.open(file, O_RDONLY)
        } catch {
            throw .configuration(file: file, .unreadable(error.code))
        }
    }

    private static func readKey(_ file: String, into handle: OpaquePointer) throws(TLSFailure) {
        ERR_clear_error()
        // OpenSSL would ask whoever sits at the terminal, and wait for them.
        var isUnderPassword = false
        let isRead = unsafe withUnsafeMutablePointer(to: &isUnderPassword) { asked in
            unsafe SSL_CTX_set_default_passwd_cb(handle) { _, _, _, asked in
                unsafe asked?.storeBytes(of: true, as: Bool.self)
                return 0
            }
            unsafe SSL_CTX_set_default_passwd_cb_userdata(handle, asked)
            defer { unsafe SSL_CTX_set_default_passwd_cb_userdata(handle, nil) }
            return unsafe SSL_CTX_use_PrivateKey_file(handle, file, SSL_FILETYPE_PEM) == 1
        }
        guard isRead else { throw .configuration(file: file, isUnderPassword ? .keyUnderPassword : .noKey) }
    }

    /// What OpenSSL says, or `known` where that is its reason.
    private static func fault(where reason: Int32, is known: TLSFileFault) -> TLSFileFault {
        let error = ERR_peek_error()
        if mildam_err_reason(error) == reason { return known }
        return .refused(unsafe ERR_reason_error_string(error).map { unsafe String(cString: $0) } ?? "no reason given")
    }

    /// A client's context.
    ///
    /// - Parameters:
    ///   - host: the endpoint's host, unless the configuration names another.
    ///   - isLookingOnly: whether the handshake goes on whatever comes of the verification. Nothing may be sent then, or
    ///     believed.
    init(
        client configuration: TLSClientConfiguration,
        host: String,
        isLookingOnly: Bool = false
    ) throws(TLSFailure) {
        guard let method = unsafe TLS_client_method(), let handle = unsafe SSL_CTX_new(method) else {
            throw .protocolError(code: 0)
        }
        unsafe self.handle = unsafe handle
        let name = configuration.serverName ?? host
        let named = isLookingOnly ? TLSExpectation.looked(name) : .named(name)
        let mode = isLookingOnly ? SSL_VERIFY_NONE : SSL_VERIFY_PEER
        try unsafe Self.harden(handle)
        ERR_clear_error()
        switch configuration.trust {
        case .system:
            expectation = named
            guard unsafe SSL_CTX_set_default_verify_paths(handle) == 1 else {
                throw .configuration(file: "the system's authorities", .noCertificate)
            }
            unsafe SSL_CTX_set_verify(handle, mode, nil)
        case .authorities(let file):
            expectation = named
            try Self.checkReadable(file)
            guard unsafe SSL_CTX_load_verify_locations(handle, file, nil) == 1 else {
                throw .configuration(file: file, .noCertificate)
            }
            unsafe SSL_CTX_set_verify(handle, mode, nil)
        case .pinned(let digest):
            guard digest.count == 32 else { throw .pinMismatch }
            // The chain is not verified; the session compares the key before a byte is sent or believed.
            expectation = .key(sha256: digest, name: name)
            unsafe SSL_CTX_set_verify(handle, SSL_VERIFY_NONE, nil)
        }
    }

    deinit {
        unsafe SSL_CTX_free(handle)
    }

    /// The certificate that a server shows, which it does not verify; `nil` for a client.
    var certificate: PresentedCertificate? {
        guard let certificate = unsafe SSL_CTX_get0_certificate(handle) else { return nil }
        return unsafe PresentedCertificate(certificate, failure: nil)
    }

    /// A session of this context over a connected, non-blocking socket, which stays the caller's.
    func makeSession(over descriptor: Int32, isServer: Bool) throws(TLSFailure) -> TLSSession {
        guard let session = unsafe SSL_new(handle) else { throw .protocolError(code: 0) }
        return try unsafe TLSSession(owning: session, over: descriptor, isServer: isServer, expecting: expectation)
    }

    /// What keys are agreed on with. A server answers with the cost of the group that its client chooses, which for the
    /// others is up to hundreds of times as much.
    private static let groups = "X25519:P-256"

    private static func harden(_ handle: OpaquePointer) throws(TLSFailure) {
        unsafe mildam_ssl_ctx_set_min_version(handle, TLS1_3_VERSION)
        guard unsafe mildam_ssl_ctx_set_groups(handle, groups) == 1 else { throw .protocolError(code: 0) }
        // Idle sessions give their buffers back; the output queue may move between two tries of a write.
        unsafe mildam_ssl_ctx_set_mode(handle, mildam_ssl_modes())
        unsafe SSL_CTX_set_options(handle, mildam_ssl_options())
    }
}

/// Whom a session must find at the other end.
enum TLSExpectation {
    case anyone
    /// A DNS name or an IP address.
    case named(String)
    /// The same, but what comes of it is only told (`TLSSession.certificate()`).
    case looked(String)
    /// A public key; the name is only told to the server.
    case key(sha256: [UInt8], name: String)
}
