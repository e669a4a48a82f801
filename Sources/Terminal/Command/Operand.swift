/// An argument that is known by its place.
public struct Operand: Sendable, Equatable {
    /// How many arguments an operand takes.
    public enum Arity: Sendable, Equatable {
        /// Exactly one.
        case one
        /// One or none.
        case optional
        /// One or more.
        case many
        /// None, one or more.
        case any

        /// Whether there may be none.
        var allowsNone: Bool { self == .optional || self == .any }
        /// Whether there may be more than one.
        var allowsMany: Bool { self == .many || self == .any }
    }

    /// What it is called in the usage line, in capitals: "ROOM".
    public let name: String
    /// What it is for, in one line.
    public let help: String
    /// How many arguments it takes.
    public let arity: Arity
    /// What a shell offers for it.
    public let completion: Completion

    /// Makes an operand.
    public init(_ name: String, help: String, arity: Arity = .one, completion: Completion = .none) {
        self.name = name
        self.help = help
        self.arity = arity
        self.completion = completion
    }

    /// The operand in a usage line: `NAME`, `[NAME]`, `NAME...` or `[NAME]...`.
    var usage: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .many: "\(name)..."
        case .any: "[\(name)]..."
        }
    }
}
