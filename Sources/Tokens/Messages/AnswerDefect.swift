import MildamCrypto
import MildamKeychain
import MildamWire

/// What is wrong with an answer that should have been JSON of a certain form. Nothing of what it holds is in here but where an
/// endpoint is that was not allowed.
public enum AnswerDefect: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is longer than the limit, in bytes.
    case tooLong(limit: Int)
    /// It is no JSON, such as a page of HTML.
    case notJSON(JSONDefect)
    /// It is JSON, and no object.
    case notAnObject
    /// A field that must be there is not, or is `null`.
    case missing(field: String)
    /// A field has another type, or a value that it cannot have.
    case invalid(field: String)
    /// An endpoint is nearer than the issuer, or at another port, and nobody has allowed its origin by name.
    case foreignEndpoint(field: String, origin: String)
    /// The token is of a kind that this program does not know how to use.
    case unknownTokenType
    /// A token bound to a key was asked for, and one that is not was given (RFC 9449, section 5).
    case notBound

    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .tooLong(let limit): "it has more than \(limit) bytes"
        case .notJSON(let defect): "it is no JSON: \(defect)"
        case .notAnObject: "it is no JSON object"
        case .missing(let field): "\(field) is missing"
        case .invalid(let field): "\(field) is not what it may be"
        case .foreignEndpoint(let field, let origin):
            "its \(field) is at \(origin), which is another port or a nearer network than the issuer's; if that is meant, "
                + "allow this origin by name (--allow-origin)"
        case .unknownTokenType: "its token is of a kind that is not known here"
        case .notBound: "its token is not bound to the key, as was asked for"
        }
    }
}

/// The members of a JSON object that a server sent, read field by field.
struct AnswerFields: ~Escapable {
    private let text: Span<UInt8>
    private let node: JSONNode

    /// Reads a text of at most `limit` bytes.
    @_lifetime(copy text)
    init(_ text: Span<UInt8>, limit: Int) throws(AnswerDefect) {
        guard text.count <= limit else { throw .tooLong(limit: limit) }
        do throws(JSONDefect) { node = try JSONReader.read(text) } catch { throw .notJSON(error) }
        guard case .object = node else { throw .notAnObject }
        self.text = text
    }

    /// Whether a member is there and not `null`.
    func has(_ name: String) -> Bool { node[name] != nil }

    /// A text of at most `limit` bytes; `nil` where there is none.
    func text(_ name: String, limit: Int) throws(AnswerDefect) -> String? {
        guard let member = node[name] else { return nil }
        guard let value = member.string(in: text), value.utf8.count <= limit else { throw .invalid(field: name) }
        return value
    }

    /// Texts; `nil` where there are none.
    func texts(_ name: String, limit: Int) throws(AnswerDefect) -> [String]? {
        guard let member = node[name] else { return nil }
        guard let elements = member.elements, elements.count <= 256 else { throw .invalid(field: name) }
        var texts: [String] = []
        for element in elements {
            guard let value = element.string(in: text), value.utf8.count <= limit else { throw .invalid(field: name) }
            texts.append(value)
        }
        return texts
    }

    /// `true` or `false`; `nil` where there is neither.
    func flag(_ name: String) throws(AnswerDefect) -> Bool? {
        guard let member = node[name] else { return nil }
        guard let flag = member.flag else { throw .invalid(field: name) }
        return flag
    }

    /// The address of something of a server.
    func url(_ name: String) throws(AnswerDefect) -> ServerURL? {
        guard let value = try text(name, limit: ServerURL.maximumSize) else { return nil }
        guard let url = ServerURL(value) else { throw .invalid(field: name) }
        return url
    }

    /// A secret of 1 to `limit` bytes, each from 0x21 to 0x7E, straight into secret memory.
    func secret(_ name: String, limit: Int) throws(AnswerDefect) -> SecretValue? {
        guard let member = node[name] else { return nil }
        guard case .string(let range) = member, range.count <= 6 * limit else { throw .invalid(field: name) }
        var value = SecretBuilder(capacity: min(range.count, limit) + 1)
        var isText = true
        _ = member.decode(in: text) { byte in
            isText = isText && (0x21...0x7E).contains(byte) && value.count < limit
            if isText { value.append(byte) }
        }
        guard isText, value.count > 0 else { throw .invalid(field: name) }
        return SecretValue(value.finish())
    }

    /// A number of seconds, rounded down, from 0 to `ceiling`: below and above is what the ends are.
    ///
    /// A number may be written as a string, as some servers do.
    func seconds(_ name: String, ceiling: Int64) throws(AnswerDefect) -> Int64? {
        guard let member = node[name] else { return nil }
        let written: String
        switch member {
        case .number(let range) where range.count <= 64:
            written = String(decoding: range.map { text[$0] }, as: UTF8.self)
        case .string(let range) where (1...20).contains(range.count):
            let digits = range.map { text[$0] }
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .invalid(field: name) }
            written = String(decoding: digits, as: UTF8.self)
        default: throw .invalid(field: name)
        }
        guard let number = Double(written) else { throw .invalid(field: name) }
        return Int64(min(max(number.rounded(.down), 0), Double(ceiling)))
    }
}
