import CLibSSL
import Glibc
import MildamSystem

/// One TLS session over a non-blocking socket. Lives on its loop's thread.
@safe
final class TLSSession {
    /// What an operation came to.
    enum Outcome {
        case done(Int)
        /// The socket must become readable, or writable, first.
        case wantsRead
        case wantsWrite
        /// The other side said goodbye.
        case end
        case failed(TLSFailure)
    }

    private let handle: OpaquePointer
    private let expectation: TLSExpectation
    /// After a fatal error OpenSSL must not be asked for a goodbye.
    private var isBroken = false
    private(set) var isEstablished = false

    init(
        owning handle: OpaquePointer,
        over descriptor: Int32,
        isServer: Bool,
        expecting expectation: TLSExpectation
    ) throws(TLSFailure) {
        unsafe self.handle = unsafe handle
        self.expectation = expectation
        guard unsafe SSL_set_fd(handle, descriptor) == 1 else { throw .protocolError(code: 0) }
        guard !isServer else {
            unsafe SSL_set_accept_state(handle)
            return
        }
        unsafe SSL_set_connect_state(handle)
        switch expectation {
        case .anyone: break
        case .named(let name), .looked(let name): try expect(name)
        case .key(_, let name): try tellName(name)
        }
    }

    deinit {
        unsafe SSL_free(handle)
    }

    /// Continues the handshake; `done` once it is complete and the other side is who it should be.
    func handshake() -> Outcome {
        ERR_clear_error()
        let code = unsafe SSL_do_handshake(handle)
        guard code == 1 else { return outcome(of: code) }
        if case .key(let digest, _) = expectation, keyDigest() != digest {
            isBroken = true
            return .failed(.pinMismatch)
        }
        isEstablished = true
        return .done(0)
    }

    /// Reads at most one record into `buffer`, from its start.
    func read(into buffer: inout [UInt8]) -> Outcome {
        ERR_clear_error()
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe SSL_read(handle, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        return outcome(of: count)
    }

    /// Writes some of `bytes`, which are not none.
    func write(_ bytes: Span<UInt8>) -> Outcome {
        ERR_clear_error()
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe SSL_write(handle, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        return outcome(of: count)
    }

    /// Says goodbye (close_notify), so that the other side can tell an end from a cut.
    func finish() {
        guard isEstablished, !isBroken else { return }
        ERR_clear_error()
        unsafe SSL_shutdown(handle)
    }

    /// The certificate that the other side showed, and what came of verifying it; `nil` before the handshake.
    func certificate() -> PresentedCertificate? {
        guard let certificate = unsafe SSL_get0_peer_certificate(handle) else { return nil }
        let verdict = unsafe SSL_get_verify_result(handle)
        return unsafe PresentedCertificate(
            certificate,
            failure: verdict == Int(X509_V_OK) ? nil : Self.failure(verdict: verdict)
        )
    }

    private func outcome(of code: Int32) -> Outcome {
        if code > 0 { return .done(Int(code)) }
        switch unsafe SSL_get_error(handle, code) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .end
        default:
            isBroken = true
            return .failed(failure())
        }
    }

    private func failure() -> TLSFailure {
        let verdict = unsafe SSL_get_verify_result(handle)
        if !isEstablished, case .named = expectation, verdict != Int(X509_V_OK) {
            return Self.failure(verdict: verdict)
        }
        let error = ERR_peek_error()
        // No OpenSSL error at all: the system call failed, which for a connected socket means that it is gone.
        guard error != 0 else { return .truncated }
        let reason = mildam_err_reason(error)
        return reason == SSL_R_UNEXPECTED_EOF_WHILE_READING ? .truncated : .protocolError(code: Int(reason))
    }

    private static func failure(verdict: Int) -> TLSFailure {
        switch Int32(clamping: verdict) {
        case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
        case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE,
            X509_V_ERR_CERT_UNTRUSTED:
            .unknownAuthority
        default: .certificateInvalid(code: verdict)
        }
    }

    /// Makes the verification check that the certificate is for `name`.
    private func expect(_ name: String) throws(TLSFailure) {
        guard !name.isEmpty, !name.utf8.contains(0) else { throw .wrongName }
        if SocketAddress(ip: name, port: 0) != nil {
            guard let parameters = unsafe SSL_get0_param(handle),
                unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
            else { throw .wrongName }
        } else {
            unsafe SSL_set_hostflags(handle, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            guard unsafe SSL_set1_host(handle, name) == 1 else { throw .wrongName }
        }
        try tellName(name)
    }

    /// Names the server in the ClientHello (RFC 6066, section 3: names only, not addresses).
    private func tellName(_ name: String) throws(TLSFailure) {
        guard SocketAddress(ip: name, port: 0) == nil else { return }
        guard !name.utf8.contains(0), unsafe mildam_ssl_set_server_name(handle, name) == 1 else { throw .wrongName }
    }

    /// SHA-256 of the other side's SubjectPublicKeyInfo in DER.
    private func keyDigest() -> [UInt8]? {
        guard let certificate = unsafe SSL_get0_peer_certificate(handle),
            let key = unsafe X509_get_X509_PUBKEY(certificate)
        else { return nil }
        var der: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509_PUBKEY(key, &der)
        guard count > 0, let start = unsafe der else { return nil }
        defer { unsafe CRYPTO_free(start, nil, 0) }
        return Digests.sha256(unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count))))
    }
}
