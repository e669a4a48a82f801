import MildamCrypto

/// What is to be done in one transaction, so that a store holds a group as it is now (RFC 9420, section 14).
public struct StateChanges: Sendable {
    /// All records of these terms are to go, first of all.
    public let ended: [StateRecord.Term]
    /// Of these terms there was nothing before, or nothing is left.
    public let begun: [StateRecord.Term]
    /// The records of this name are to go.
    public private(set) var removed: [StateRecord.Name] = []
    /// The records that are new, or say something else than before.
    public private(set) var stored: [StateRecord] = []

    init(ended: some Sequence<StateRecord.Term>, begun: some Sequence<StateRecord.Term>) {
        self.ended = Array(ended)
        self.begun = Array(begun)
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { ended.isEmpty && begun.isEmpty && removed.isEmpty && stored.isEmpty }

    mutating func store(_ part: StatePart, _ content: SymmetricKey) {
        stored.append(StateRecord(name: StateRecord.Name(part), content: content))
    }

    mutating func remove(_ part: StatePart) { removed.append(StateRecord.Name(part)) }
}
