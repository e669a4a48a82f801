/// A part of a token, to say which one is meant.
public enum TokenField: String, CaseIterable, Sendable {
    /// The secret.
    case secret
    /// Who gave the token out.
    case issuer
    /// Whose account it is.
    case account
    /// Account and issuer as one text, as a URI has them.
    case label
    /// TOTP, HOTP or Steam.
    case type
    /// The hash function.
    case algorithm
    /// How many digits a code has.
    case digits
    /// How long a code stands.
    case period
    /// The counter.
    case counter
    /// How the digits are written; Steam Guard's own way has a name.
    case encoder
    /// A whole `otpauth://` URI in a field.
    case uri
    /// A parameter that means nothing here.
    case parameter
}

/// What has a name, and is not made here.
public enum UnsupportedToken: String, Sendable {
    /// HMAC with MD5.
    case md5 = "MD5"
    /// HMAC with SHA-224.
    case sha224 = "SHA-224"
    /// HMAC with SHA-384.
    case sha384 = "SHA-384"
    /// Mobile-OTP: MD5 of time, secret and PIN.
    case motp = "mOTP"
    /// Yandex.Key: letters, and a PIN.
    case yandex = "Yandex.Key"
    /// Seven digits or others in a Google export that has names for six and eight only.
    case digits = "this number of digits"
}

/// Why something is no token. It tells the field, never what stood in it.
public enum TokenError: Error, Equatable, Sendable {
    /// The text does not begin with `otpauth://`.
    case notOTPAuth
    /// The text begins with `otpauth-migration://`: it holds several tokens.
    case isMigration
    /// More than the field, or a whole URI (`uri`), may have.
    case tooLong(TokenField)
    /// A percent sign without two hexadecimal digits behind it, or bytes that are no UTF-8.
    case malformed(TokenField)
    /// It has to be there, and is not.
    case missing(TokenField)
    /// It is there twice.
    case duplicate(TokenField)
    /// What stands there means nothing in this field.
    case invalid(TokenField)
    /// A number, or the size of a secret, beyond what a token may have.
    case outOfRange(TokenField)
    /// What is asked for has a name, and is not made here.
    case unsupported(UnsupportedToken)
}

extension TokenError: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String {
        switch self {
        case .notOTPAuth: "this is no otpauth:// URI"
        case .isMigration: "an otpauth-migration:// URI holds several tokens, and is imported as a file is"
        case .tooLong(.uri): "a URI has at most \(OneTimePassword.maximumURIByteCount) bytes"
        case .tooLong(let field): "the \(field.rawValue) has more than \(OneTimePassword.maximumNameByteCount) bytes"
        case .malformed(let field): "the \(field.rawValue) is not encoded as it should be"
        case .missing(let field): "the \(field.rawValue) is missing"
        case .duplicate(let field): "there is more than one \(field.rawValue)"
        case .invalid(.secret): "the secret is not written in base32, or in what it should be written in"
        case .invalid(.algorithm): "the algorithm is none of SHA1, SHA256 and SHA512, or not the one of this type"
        case .invalid(.type): "the type is none of totp, hotp and steam"
        case .invalid(.encoder): "the encoder is not steam"
        case .invalid(let field): "the \(field.rawValue) means nothing"
        case .outOfRange(.secret): "a secret has 1 to \(OneTimePassword.secretByteCounts.upperBound) bytes"
        case .outOfRange(.digits): "a code has 6 to 10 digits, and one of Steam Guard 5"
        case .outOfRange(.period): "a code stands from 1 second to a day, and one of Steam Guard 30 seconds"
        case .outOfRange(let field): "the \(field.rawValue) is out of range"
        case .unsupported(let what): "\(what.rawValue) is not supported"
        }
    }
}
