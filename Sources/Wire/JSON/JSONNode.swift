/// A value of a JSON text (RFC 8259): what it is, and where its characters lie.
///
/// Strings and numbers stay where they are: what they say is read from the text when it is wanted, and a secret goes into
/// secret memory then, and nowhere else.
package indirect enum JSONNode: Sendable {
    /// Its members by their names.
    case object([String: JSONNode])
    /// Its elements.
    case array([JSONNode])
    /// The characters between the quotation marks, checked, with their escapes.
    case string(Range<Int>)
    /// The characters of a number, checked.
    case number(Range<Int>)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// The member of this name; `nil` where there is none, or this is no object. A `null` is as if it were not there.
    package subscript(name: String) -> JSONNode? {
        guard case .object(let members) = self, let member = members[name] else { return nil }
        if case .null = member { return nil }
        return member
    }

    /// The elements, if this is an array.
    package var elements: [JSONNode]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members, if this is an object.
    package var members: [String: JSONNode]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// Whether this is `true`; `nil` where it is neither that nor `false`.
    package var flag: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    /// What a string says, if this is one.
    package func string(in text: Span<UInt8>) -> String? {
        guard case .string(let range) = self else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        JSONEscape.decode(text.extracting(range)) { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Gives the bytes of what a string says one by one, so that a secret is nowhere but where the caller puts it.
    ///
    /// - Returns: whether this is a string.
    package func decode(in text: Span<UInt8>, _ take: (UInt8) -> Void) -> Bool {
        guard case .string(let range) = self else { return false }
        JSONEscape.decode(text.extracting(range), take)
        return true
    }

    /// A whole number in plain digits.
    package func integer(in text: Span<UInt8>) -> Int64? {
        guard case .number(let range) = self, range.count <= 20 else { return nil }
        return Int64(String(decoding: range.map { text[$0] }, as: UTF8.self))
    }
}
