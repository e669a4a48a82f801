import MildamCrypto
import MildamOTP
import MildamWire

extension MigrationBatch {
    /// The batch as an `otpauth-migration://offline?data=…` URI: the secrets themselves, in secret memory. What is no
    /// token is left out.
    public var uriBytes: SecretBytes {
        let payload = self.payload
        var text = SecretBuilder(capacity: 2048)
        text.append("otpauth-migration://offline?data=")
        let characters = Base64Secret.encode(payload.span)
        let span = characters.span
        for index in span.indices {
            switch span[index] {
            case UInt8(ascii: "+"): text.append("%2B")
            case UInt8(ascii: "/"): text.append("%2F")
            case UInt8(ascii: "="): text.append("%3D")
            case let character: text.append(character)
            }
        }
        return text.finish()
    }

    /// The same text, in memory that nothing wipes.
    public var uri: String {
        let bytes = uriBytes
        return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The batch as a `MigrationPayload` message, in secret memory.
    public var payload: SecretBytes {
        var message = ProtobufWriter()
        for case .success(let token) in tokens {
            let parameters = MigrationBatch.parameters(of: token)
            message.bytes(parameters.span, field: 1)
        }
        message.varint(UInt64(bitPattern: Int64(version)), field: 2)
        message.varint(UInt64(count), field: 3)
        message.varint(UInt64(index), field: 4)
        // A negative int32 is written with 64 bits: Protocol Buffers, "Encoding".
        message.varint(UInt64(bitPattern: Int64(id)), field: 5)
        return message.finish()
    }

    private static func parameters(of token: OneTimePassword) -> SecretBytes {
        var message = ProtobufWriter()
        unsafe token.secret.withUnsafeBytes { secret in
            message.bytes(unsafe Span(_unsafeBytes: secret), field: 1)
        }
        message.text(name(of: token), field: 2)
        message.text(token.issuer, field: 3)
        message.varint(token.algorithm == .sha1 ? 1 : token.algorithm == .sha256 ? 2 : 3, field: 4)
        message.varint(token.digits == 8 ? 2 : 1, field: 5)
        if case .hotp(let counter) = token.kind {
            message.varint(1, field: 6)
            message.varint(counter, field: 7)
        } else {
            message.varint(2, field: 6)
        }
        return message.finish()
    }

    /// The account; behind the issuer where a reader would take a part of it for one.
    private static func name(of token: OneTimePassword) -> String {
        let read = TokenNames(label: token.account, issuer: token.issuer)
        let isUnderstood = read.account == token.account && read.issuer == token.issuer
        return isUnderstood ? token.account : token.issuer + ":" + token.account
    }
}
