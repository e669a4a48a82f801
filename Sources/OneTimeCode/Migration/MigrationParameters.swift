import MildamCrypto
import MildamOTP

/// `OtpParameters`: one token of the export.
struct MigrationParameters {
    private var secret: SymmetricKey?
    private var name: String?
    private var issuer: String?
    private var algorithm: UInt64 = 0
    private var digits: UInt64 = 0
    private var type: UInt64 = 0
    private var counter: UInt64 = 0

    init(_ message: Span<UInt8>) throws(MigrationError) {
        var reader = ProtobufReader(message)
        name = ""
        issuer = ""
        while let (number, value) = try reader.next() {
            switch (number, value) {
            case (1, .bytes(let range)): secret = SymmetricKey(SecretBytes(copying: message.extracting(range)))
            case (2, .bytes(let range)): name = MigrationParameters.text(message.extracting(range))
            case (3, .bytes(let range)): issuer = MigrationParameters.text(message.extracting(range))
            case (4, .varint(let value)): algorithm = value
            case (5, .varint(let value)): digits = value
            case (6, .varint(let value)): type = value
            case (7, .varint(let value)): counter = value
            case (1...7, _): throw .malformed
            default: break
            }
        }
    }

    func token() throws(TokenError) -> OneTimePassword {
        guard let secret, secret.bitCount > 0 else { throw .missing(.secret) }
        guard let name else { throw .malformed(.label) }
        guard let issuer else { throw .malformed(.issuer) }
        var fields = TokenFields(secret: secret, names: TokenNames(label: name, issuer: issuer))
        switch algorithm {
        case 0, 1: fields.algorithm = .sha1
        case 2: fields.algorithm = .sha256
        case 3: fields.algorithm = .sha512
        case 4: throw .unsupported(.md5)
        default: throw .invalid(.algorithm)
        }
        switch digits {
        case 0, 1: fields.digits = 6
        case 2: fields.digits = 8
        default: throw .unsupported(.digits)
        }
        switch type {
        case 0, 2: fields.type = .totp
        case 1: fields.type = .hotp
        default: throw .invalid(.type)
        }
        guard counter <= UInt64(Int64.max) else { throw .outOfRange(.counter) }  // a negative int64
        fields.counter = counter
        return try fields.token()
    }

    private static func text(_ bytes: Span<UInt8>) -> String? {
        unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }
}
