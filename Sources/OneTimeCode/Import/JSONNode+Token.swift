import MildamCrypto
import MildamOTP
import MildamWire

/// How importers read a token's fields.
extension JSONNode {
    /// A field's text; `nil` where it is not there.
    ///
    /// - Throws: `invalid` where there is something other than a text.
    func text(
        _ field: TokenField,
        named name: String? = nil,
        in text: Span<UInt8>
    ) throws(TokenError) -> String? {
        guard let member = self[name ?? field.rawValue] else { return nil }
        guard let string = member.string(in: text) else { throw .invalid(field) }
        return string
    }

    /// A field's number; `nil` where it is not there.
    ///
    /// - Throws: `invalid` where there is something other than a whole number; `outOfRange` for a negative one.
    func number(
        _ field: TokenField,
        named name: String? = nil,
        in text: Span<UInt8>
    ) throws(TokenError) -> UInt64? {
        guard let member = self[name ?? field.rawValue] else { return nil }
        guard let integer = member.tolerantInteger(in: text) else { throw .invalid(field) }
        guard let number = UInt64(exactly: integer) else { throw .outOfRange(field) }
        return number
    }

    /// A secret in base32.
    ///
    /// - Throws: `missing`, `invalid`.
    func base32(_ name: String, in text: Span<UInt8>) throws(TokenError) -> SymmetricKey {
        guard let member = self[name] else { throw .missing(.secret) }
        guard let written = member.secret(in: text), let secret = Base32Secret.decode(written.span) else {
            throw .invalid(.secret)
        }
        return SymmetricKey(secret)
    }
}

extension TokenFields {
    /// Reads what an object says of algorithm, digits, period and counter, under these names.
    mutating func readNumbers(
        _ object: JSONNode,
        algorithm: String = "algorithm",
        in text: Span<UInt8>
    ) throws(TokenError) {
        if let name = try object.text(.algorithm, named: algorithm, in: text), !name.isEmpty {
            self.algorithm = try OneTimePassword.Algorithm(foreign: name)
        }
        digits = try object.number(.digits, in: text)
        period = try object.number(.period, in: text)
        counter = try object.number(.counter, in: text)
    }
}
