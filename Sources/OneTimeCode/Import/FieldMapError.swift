/// Why a text is no map of fields. What it holds was typed, and is no secret.
public enum FieldMapError: Error, Equatable, Sendable {
    /// A part that is not `field=name`.
    case malformed(String)
    /// No field is called this.
    case unknownField(String)
    /// Secrets are written in base32 or base64.
    case unknownEncoding(String)
    /// A field has two names.
    case repeated(String)
}

extension FieldMapError: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String {
        switch self {
        case .malformed(let part): "\"\(part)\" is not of the form FIELD=NAME"
        case .unknownField(let field):
            "there is no field \"\(field)\": secret, issuer, account, type, algorithm, digits, period, counter, uri"
        case .unknownEncoding(let encoding): "\"\(encoding)\" is no encoding of secrets: base32, base64"
        case .repeated(let field): "\"\(field)\" is there twice"
        }
    }
}
