import MildamCrypto
import MildamOTP
import MildamWire

/// What the members of a token are called in a JSON array of objects that no document describes.
///
/// Unless a name is given, these are tried, whatever their case, and without the dashes and underscores in them:
///
/// | field | names |
/// |---|---|
/// | `secret` | secret, key, secretKey, sharedSecret, seed, secretData, data |
/// | `issuer` | issuer, issuerName, service, serviceName, provider, site, title |
/// | `account` | account, accountName, name, label, user, userName, email, login |
/// | `type` | type, kind, otpType, tokenType |
/// | `algorithm` | algorithm, algo, hash, hashAlgorithm, digest |
/// | `digits` | digits, digit, digitCount, numberOfDigits, codeLength, length |
/// | `period` | period, interval, timeInterval, timePeriod, timeStep, step |
/// | `counter` | counter, movingFactor |
/// | `uri` | uri, url, otpauth, otpauthURI, otpauthURL |
///
/// Of the names of issuer and account the first in the table that is there counts. Of any other field only one may be
/// there: which one makes the right codes cannot be known. An object with a `uri` that begins with `otpauth:` is that
/// token, and the rest of it says nothing.
///
/// The secret is an array with a number for each byte (0 to 255, or −128 to 127), or a text: base32 where nothing but its
/// letters in one case stands in it, in a length that whole bytes have; else base64, padded or not, of either alphabet.
/// Each row says which it was.
public struct FieldMap: Sendable, Equatable {
    private var names: [TokenField: String]
    private var encoding: TokenImport.SecretReading?

    /// The map without a name given.
    public init() {
        names = [:]
    }

    /// A map with names that a person gave: `secret=k,issuer=from`. `encoding=base32` or `encoding=base64` says how a
    /// secret is written. A name that is given is taken as it is, and the field's usual ones are not looked for.
    ///
    /// - Throws: `FieldMapError` for a part that is not of this form.
    public init(_ text: String) throws(FieldMapError) {
        self.init()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[1].isEmpty else { throw .malformed(String(part)) }
            let field = String(sides[0]).trimmed
            if field == "encoding" {
                guard encoding == nil else { throw .repeated(field) }
                guard let reading = TokenImport.SecretReading(rawValue: String(sides[1]).trimmed), reading != .bytes
                else { throw .unknownEncoding(String(sides[1])) }
                encoding = reading
                continue
            }
            guard let known = TokenField(rawValue: field), FieldMap.synonyms[known] != nil else {
                throw .unknownField(field)
            }
            guard names.updateValue(String(sides[1]), forKey: known) == nil else { throw .repeated(field) }
        }
    }

    /// The elements of an array as tokens.
    func rows(
        _ array: JSONNode,
        in text: Span<UInt8>,
        _ limits: ImportLimits
    ) throws(ImportError) -> [TokenImport.Row] {
        try TokenImport.rows(array, .tokenArray, limits) { element, number in
            var reading: TokenImport.SecretReading?
            let read = Result { () throws(TokenError) in try token(element, in: text, &reading) }
            return TokenImport.Row(number: number, secretReading: reading) { () throws(TokenError) in
                try read.get()
            }
        }
    }

    private func token(
        _ element: JSONNode,
        in text: Span<UInt8>,
        _ reading: inout TokenImport.SecretReading?
    ) throws(TokenError) -> OneTimePassword {
        if let uri = try member(.uri, of: element)?.secret(in: text), uri.span.starts(with: "otpauth:") {
            return try OneTimePassword(uri: uri.span)
        }
        guard let member = try member(.secret, of: element) else { throw .missing(.secret) }
        let secret = try secret(member, in: text, &reading)
        var fields = TokenFields(
            secret: secret,
            names: TokenNames(
                label: try string(.account, of: element, in: text) ?? "",
                issuer: try string(.issuer, of: element, in: text) ?? ""
            )
        )
        if let type = try string(.type, of: element, in: text) { fields.type = try .init(foreign: type) }
        if let name = try string(.algorithm, of: element, in: text) { fields.algorithm = try .init(foreign: name) }
        fields.digits = try number(.digits, of: element, in: text)
        fields.period = try number(.period, of: element, in: text)
        fields.counter = try number(.counter, of: element, in: text)
        return try fields.token()
    }

    /// The member that stands for a field.
    private func member(_ field: TokenField, of element: JSONNode) throws(TokenError) -> JSONNode? {
        if let name = names[field] { return element[name] }
        let synonyms = FieldMap.synonyms[field, default: []]
        var found: [Int: JSONNode] = [:]
        for name in element.members?.keys ?? [:].keys {
            let plain = name.lowercased().filter { $0 != "_" && $0 != "-" }
            guard let place = synonyms.firstIndex(of: plain), let member = element[name] else { continue }
            guard found.updateValue(member, forKey: place) == nil else { throw .duplicate(field) }
        }
        guard field == .issuer || field == .account || found.count <= 1 else { throw .duplicate(field) }
        return found.min { $0.key < $1.key }?.value
    }

    private func string(
        _ field: TokenField,
        of element: JSONNode,
        in text: Span<UInt8>
    ) throws(TokenError) -> String? {
        guard let member = try member(field, of: element) else { return nil }
        guard let string = member.string(in: text) else { throw .invalid(field) }
        return string.isEmpty ? nil : string
    }

    private func number(
        _ field: TokenField,
        of element: JSONNode,
        in text: Span<UInt8>
    ) throws(TokenError) -> UInt64? {
        guard let member = try member(field, of: element) else { return nil }
        guard let integer = member.tolerantInteger(in: text) else { throw .invalid(field) }
        guard let number = UInt64(exactly: integer) else { throw .outOfRange(field) }
        return number
    }

    private func secret(
        _ member: JSONNode,
        in text: Span<UInt8>,
        _ reading: inout TokenImport.SecretReading?
    ) throws(TokenError) -> SymmetricKey {
        if let numbers = member.elements {
            reading = .bytes
            return try FieldMap.secret(numbers, in: text)
        }
        guard let written = member.secret(in: text) else { throw .invalid(.secret) }
        let isBase32 = encoding.map { $0 == .base32 } ?? Base32Secret.isLikely(written.span)
        let decoded =
            isBase32 ? Base32Secret.decode(written.span) : Base64Secret.decodeTolerantly(written.span)
        guard let decoded else { throw .invalid(.secret) }
        reading = isBase32 ? .base32 : .base64
        return SymmetricKey(decoded)
    }

    /// A secret as numbers; a signed byte is one of some languages'.
    private static func secret(_ numbers: [JSONNode], in text: Span<UInt8>) throws(TokenError) -> SymmetricKey {
        guard numbers.count <= OneTimePassword.secretByteCounts.upperBound else { throw .outOfRange(.secret) }
        var secret = SecretBuilder(capacity: numbers.count)
        for number in numbers {
            guard let value = number.integer(in: text), (-128...255).contains(value) else {
                throw .invalid(.secret)
            }
            secret.append(UInt8(truncatingIfNeeded: value))
        }
        return SymmetricKey(secret.finish())
    }

    /// In lower case, without dashes and underscores; the first counts.
    private static let synonyms: [TokenField: [String]] = [
        .secret: ["secret", "key", "secretkey", "sharedsecret", "seed", "secretdata", "data"],
        .issuer: ["issuer", "issuername", "service", "servicename", "provider", "site", "title"],
        .account: ["account", "accountname", "name", "label", "user", "username", "email", "login"],
        .type: ["type", "kind", "otptype", "tokentype"],
        .algorithm: ["algorithm", "algo", "hash", "hashalgorithm", "digest"],
        .digits: ["digits", "digit", "digitcount", "numberofdigits", "codelength", "length"],
        .period: ["period", "interval", "timeinterval", "timeperiod", "timestep", "step"],
        .counter: ["counter", "movingfactor"],
        .uri: ["uri", "url", "otpauth", "otpauthuri", "otpauthurl"],
    ]
}
