/// What the parts of a part are to one another (draft-ietf-mimi-content-08, "Message Bodies").
public enum PartSemantics: UInt64, Sendable {
    /// One of them is taken.
    case chooseOne = 0
    /// All of them are one thing.
    case singleUnit = 1
    /// Each of them is taken by itself.
    case processAll = 2
}
