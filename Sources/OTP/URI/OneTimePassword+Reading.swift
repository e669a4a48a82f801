import MildamCrypto

extension OneTimePassword {
    /// The most bytes of an `otpauth://` URI.
    public static let maximumURIByteCount = 4096

    /// Reads an `otpauth://TYPE/LABEL?PARAMETERS` URI, in google-authenticator's Key Uri Format, as it comes.
    ///
    /// What surrounds it may be a byte order mark, white space and quotation marks. Scheme, type, and names of parameters
    /// may be in any case. A secret may hold spaces, dashes, lower case and padding. Names of hashes are read with `Hmac`
    /// or a dash in them, too. Text that was not percent-encoded is read as it is, `#` with it: no such URI has a
    /// fragment. `+` is a space in parameters, and a plus sign in the label; an issuer that has a plus sign in the label
    /// has it in the parameter, too. Unknown parameters are passed over; one that is there twice is refused. The issuer
    /// of the parameter counts; the label's is part of the account where it is another one. A Steam token is one of the
    /// type `steam`, or of `totp` with `encoder=steam`; its number of digits is not looked at, since it has but one.
    ///
    /// - Parameter uri: up to 4,096 bytes.
    /// - Throws: what is wrong with it, without a character of it.
    public init(uri: Span<UInt8>) throws(TokenError) {
        guard uri.count <= OneTimePassword.maximumURIByteCount else { throw .tooLong(.uri) }
        let text = uri.extracting(uri.trimmedRange)
        guard text.starts(with: "otpauth://") else { throw OneTimePassword.refusal(of: text) }
        let typeStart = "otpauth://".utf8.count
        let labelEnd = text.firstIndex(of: UInt8(ascii: "?"), from: typeStart) ?? text.count
        let slash = text.extracting(typeStart..<labelEnd).firstIndex(of: UInt8(ascii: "/")).map { typeStart + $0 }
        let parameters = try URIParameters(text, from: min(labelEnd + 1, text.count))

        guard let label = PercentText.string(text.extracting(min((slash ?? labelEnd) + 1, labelEnd)..<labelEnd)) else {
            throw .malformed(.label)
        }
        let names = TokenNames(
            label: label,
            issuer: try OneTimePassword.issuer(parameters.value("issuer", in: text), label: label)
        )
        let coded = parameters.value("secret", in: text)
        guard coded.count > 0 else { throw .missing(.secret) }
        guard let written = PercentText.secret(coded, plusIsSpace: true) else { throw .malformed(.secret) }
        guard let secret = Base32Secret.decode(written.span) else { throw .invalid(.secret) }

        let type = text.extracting(typeStart..<(slash ?? labelEnd))
        var fields = TokenFields(secret: SymmetricKey(secret), names: names)
        fields.type = try OneTimePassword.type(type, encoder: parameters.value("encoder", in: text))
        if let name = try OneTimePassword.text(parameters.value("algorithm", in: text), .algorithm) {
            fields.algorithm = try Algorithm(foreign: name)
        }
        fields.digits = try OneTimePassword.number(parameters.value("digits", in: text), .digits)
        fields.period = try OneTimePassword.number(parameters.value("period", in: text), .period)
        fields.counter = try OneTimePassword.number(parameters.value("counter", in: text), .counter)
        self = try fields.token()
    }

    /// Reads a URI as above, from a text in memory that nothing wipes.
    ///
    /// - Throws: what is wrong with it, without a character of it.
    public init(uri: String) throws(TokenError) {
        let bytes = Array(uri.utf8)
        try self.init(uri: bytes.span)
    }

    /// Why a text that does not begin as it should is no token.
    private static func refusal(of text: Span<UInt8>) -> TokenError {
        if text.starts(with: "otpauth-migration:") { return .isMigration }
        return text.starts(with: "motp://") ? .unsupported(.motp) : .notOTPAuth
    }

    /// The type that stands for the host, unless the encoder makes it Steam Guard's.
    private static func type(
        _ type: Span<UInt8>,
        encoder: Span<UInt8>
    ) throws(TokenError) -> TokenFields.TokenType {
        guard let name = PercentText.string(type) else { throw .malformed(.type) }
        let type = try TokenFields.TokenType(foreign: name)
        guard encoder.count > 0 else { return type }
        guard encoder.equals("steam"), type != .hotp else { throw .invalid(.encoder) }
        return .steam
    }

    /// The issuer of the parameter, where `+` is a space unless the label says that it is not.
    private static func issuer(_ parameter: Span<UInt8>, label: String) throws(TokenError) -> String {
        guard let spaced = PercentText.string(parameter, plusIsSpace: true)?.trimmed,
            let literal = PercentText.string(parameter)?.trimmed
        else { throw .malformed(.issuer) }
        return TokenNames.account(of: label, after: literal) == nil ? spaced : literal
    }

    /// A parameter's text; `nil` for an empty one.
    private static func text(_ parameter: Span<UInt8>, _ field: TokenField) throws(TokenError) -> String? {
        guard let text = PercentText.string(parameter, plusIsSpace: true)?.trimmed else { throw .malformed(field) }
        return text.isEmpty ? nil : text
    }

    /// The number that a parameter is; `nil` for an empty one.
    private static func number(_ parameter: Span<UInt8>, _ field: TokenField) throws(TokenError) -> UInt64? {
        guard let text = try text(parameter, field) else { return nil }
        guard text.utf8.allSatisfy(\.isDigit), let number = UInt64(text) else { throw .invalid(field) }
        return number
    }
}
