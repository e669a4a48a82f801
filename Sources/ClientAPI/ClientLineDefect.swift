import MildamWire

/// What is wrong with a line between a client and its window.
public enum ClientLineDefect: Error, Equatable, Sendable {
    /// It has more bytes than ``LineLimits/line``.
    case tooLong
    /// It is nested too deep.
    case tooDeep
    /// It has too many values.
    case tooManyValues
    /// It is no JSON text of one object.
    case malformed
    /// It is none of the frames, or none of the asks: a newer version may know it.
    case unknown
    /// A field that means nothing here, by the names that lead to it.
    case unknownField(String)
    /// A field says more than it may.
    case outOfRange(String)
}

extension ClientLineDefect: CustomStringConvertible {
    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .tooLong: "the line has more than \(LineLimits.line) bytes"
        case .tooDeep: "the line is nested more than \(LineLimits.depth) deep"
        case .tooManyValues: "the line has more than \(LineLimits.values) values"
        case .malformed: "the line is no JSON object"
        case .unknown: "the line is nothing that this version knows"
        case .unknownField(let path): "the field \(path) means nothing"
        case .outOfRange(let field): "the field \(field) says more than it may"
        }
    }
}
