import MildamCrypto
import MildamWire

/// A value of a JSON text (RFC 8259): what it is, and where its characters lie.
///
/// Strings and numbers stay where they are: what they say is read from the text when it is wanted, and a secret then goes
/// into secret memory.
indirect enum JSONNode: Sendable {
    case object([String: JSONNode])
    case array([JSONNode])
    /// The characters between the quotation marks, checked, with their escapes.
    case string(Range<Int>)
    /// The characters of a number, checked.
    case number(Range<Int>)
    case bool(Bool)
    case null

    /// The member of this name; `nil` where there is none, or this is no object. A `null` is as if it were not there.
    subscript(name: String) -> JSONNode? {
        guard case .object(let members) = self, let member = members[name] else { return nil }
        if case .null = member { return nil }
        return member
    }

    /// The elements, if this is an array.
    var elements: [JSONNode]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The names of an object's members.
    var names: Dictionary<String, JSONNode>.Keys? {
        guard case .object(let members) = self else { return nil }
        return members.keys
    }

    /// What a string says, if this is one.
    func string(in text: Span<UInt8>) -> String? {
        guard case .string(let range) = self else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        JSONEscape.decode(text.extracting(range)) { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What a string says, in secret memory, if this is one.
    func secret(in text: Span<UInt8>) -> SecretBytes? {
        guard case .string(let range) = self else { return nil }
        var bytes = SecretBuilder(capacity: range.count)
        JSONEscape.decode(text.extracting(range)) { bytes.append($0) }
        return bytes.finish()
    }

    /// The bytes that a string stands for in base64, padded, in secret memory.
    func base64(in text: Span<UInt8>) -> SecretBytes? {
        guard let characters = secret(in: text) else { return nil }
        return Base64Secret.decode(characters.span)
    }

    /// The bytes that a string stands for in hexadecimal.
    func hexadecimal(in text: Span<UInt8>) -> [UInt8]? { string(in: text).flatMap { try? Hex.decode($0) } }

    /// A whole number, also one that is written as a string, or with a fraction of zeros.
    func integer(in text: Span<UInt8>) -> Int64? {
        switch self {
        case .number(let range), .string(let range):
            guard range.count <= 32 else { return nil }
            let parts = range.map { text[$0] }.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 1 || parts.count == 2 && parts[1].allSatisfy({ $0 == UInt8(ascii: "0") }),
                let first = parts[0].first, first.isDigit || first == UInt8(ascii: "-")
            else { return nil }
            return Int64(String(decoding: parts[0], as: UTF8.self))
        case .object, .array, .bool, .null: return nil
        }
    }
}
