import MildamCrypto

/// Makes many codes of one token: the secret is expanded once, into memory of libcrypto that is wiped with it.
public struct CodeGenerator: ~Copyable, Sendable {
    private var authenticator: Authenticator
    private let kind: OneTimePassword.Kind
    private let digits: Int

    /// A generator for a token.
    public init(_ token: OneTimePassword) {
        authenticator = Authenticator(token.algorithm, token.secret)
        kind = token.kind
        digits = token.digits
    }

    /// The code at a time, in seconds since 1970. That of a token that counts is the one of its counter.
    public mutating func code(at time: UInt64) -> String { text(step: kind.step(at: time)).text }

    /// The code of a counter, or of a time step.
    public mutating func code(counter: UInt64) -> String { text(step: counter).text }

    /// The code of a step: HMAC, dynamic truncation, and the digits (RFC 4226, section 5.3).
    mutating func text(step: UInt64) -> CodeText {
        let value = authenticator.truncated(step)
        return kind == .steam ? CodeText(steam: value) : CodeText(decimal: value, digits: digits)
    }
}

extension OneTimePassword.Kind {
    /// What HMAC is taken of: the counter, or how many periods have gone by (RFC 6238, section 4.2).
    func step(at time: UInt64) -> UInt64 {
        switch self {
        case .totp(let period): time / UInt64(period)
        case .hotp(let counter): counter
        case .steam: time / UInt64(OneTimePassword.Kind.steamPeriod)
        }
    }
}

/// HMAC under one key with one of the three hashes.
private enum Authenticator: ~Copyable, Sendable {
    case sha1(HMAC<Insecure.SHA1>.Authenticator)
    case sha256(HMAC<SHA256>.Authenticator)
    case sha512(HMAC<SHA512>.Authenticator)

    init(_ algorithm: OneTimePassword.Algorithm, _ key: SymmetricKey) {
        switch algorithm {
        case .sha1: self = .sha1(HMAC<Insecure.SHA1>.Authenticator(key: key))
        case .sha256: self = .sha256(HMAC<SHA256>.Authenticator(key: key))
        case .sha512: self = .sha512(HMAC<SHA512>.Authenticator(key: key))
        }
    }

    /// The 31 bits that dynamic truncation leaves of the counter's code.
    mutating func truncated(_ counter: UInt64) -> UInt32 {
        var bytes = counter.bigEndian
        return unsafe withUnsafeBytes(of: &bytes) { message in
            switch consume self {
            case .sha1(var authenticator):
                let code = unsafe authenticator.authenticationCode(bufferPointer: message)
                self = .sha1(authenticator)
                return code.truncated
            case .sha256(var authenticator):
                let code = unsafe authenticator.authenticationCode(bufferPointer: message)
                self = .sha256(authenticator)
                return code.truncated
            case .sha512(var authenticator):
                let code = unsafe authenticator.authenticationCode(bufferPointer: message)
                self = .sha512(authenticator)
                return code.truncated
            }
        }
    }
}

extension HashedAuthenticationCode {
    /// Dynamic truncation (RFC 4226, section 5.3): the low four bits of the last byte say which four bytes are taken,
    /// and the first bit of those goes. The shortest code has 20 bytes, so that there always are four.
    fileprivate var truncated: UInt32 {
        unsafe withUnsafeBytes { code in
            let offset = unsafe Int(code[code.count - 1] & 15)
            let value = unsafe UInt32(bigEndian: code.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            return value & 0x7fff_ffff
        }
    }
}
