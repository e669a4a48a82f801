/// Why bytes are no item of the deterministic profile of CBOR. Places are counted in bytes from 0.
public enum CBORDefect: Error, Hashable, Sendable {
    /// The bytes end before the item does.
    case truncated
    /// Bytes follow the item.
    case trailingBytes(count: Int)
    /// What begins here has no place in the profile: a float, `undefined`, another simple value, a tag but 32, or a byte
    /// that CBOR does not use.
    case unsupported(at: Int)
    /// What begins here does not say how long it is.
    case indefiniteLength(at: Int)
    /// The number, length or tag that begins here would fit into fewer bytes.
    case notShortest(at: Int)
    /// The key that begins here does not come after the one before it, or is there for the second time.
    case keyOutOfOrder(at: Int)
    /// The text that begins here is not UTF-8.
    case notUTF8(at: Int)
    /// Arrays and maps stand in one another more than 8 deep.
    case tooDeep
    /// There are more than 32,768 items.
    case tooManyItems
}

extension CBORDefect: CustomStringConvertible {
    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .trailingBytes(let count): "\(count) bytes follow it"
        case .unsupported(let place): "at byte \(place) is something that this profile does not have"
        case .indefiniteLength(let place): "at byte \(place) a length is missing"
        case .notShortest(let place): "at byte \(place) a number is longer than it has to be"
        case .keyOutOfOrder(let place): "at byte \(place) a key is out of order"
        case .notUTF8(let place): "at byte \(place) a text is not UTF-8"
        case .tooDeep: "it is nested more than \(CBORReader.maximumDepth) deep"
        case .tooManyItems: "it has more than \(CBORReader.maximumItems) items"
        }
    }
}
