/// What is wrong with a JSON text. Places are counted in bytes from 0.
public enum JSONDefect: Error, Equatable, Sendable {
    /// It is not encoded in UTF-8.
    case notUTF8
    /// It breaks the grammar here, or ends too early.
    case malformed(at: Int)
    /// An object has two members of one name; the second is here.
    case duplicateName(at: Int)
    /// Arrays and objects stand in one another more than 32 deep.
    case tooDeep
    /// It has more than 1,048,576 values.
    case tooManyValues
}

extension JSONDefect: CustomStringConvertible {
    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .notUTF8: "it is not UTF-8"
        case .malformed(let place): "it is malformed at byte \(place)"
        case .duplicateName(let place): "at byte \(place) a name is there for the second time"
        case .tooDeep: "it is nested more than \(JSONReader.maximumDepth) deep"
        case .tooManyValues: "it has more than \(JSONReader.maximumNodes) values"
        }
    }
}
