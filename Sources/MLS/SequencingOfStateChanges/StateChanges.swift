import MildamCrypto

/// What is to be done in one transaction, so that a store holds a group as it is now (RFC 9420, section 14).
public struct StateChanges: Sendable {
    /// The records that are new, or say something else than before.
    public private(set) var stored: [StateRecord] = []
    /// The records of this name are to go.
    public private(set) var removed: [StateRecord.Name] = []
    /// All records of these epochs are to go.
    public private(set) var endedEpochs: [UInt64] = []

    init(ending epochs: some Sequence<UInt64>) { endedEpochs = Array(epochs) }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { stored.isEmpty && removed.isEmpty && endedEpochs.isEmpty }

    mutating func store(_ part: StatePart, _ content: SymmetricKey) {
        stored.append(StateRecord(name: StateRecord.Name(part), content: content))
    }

    /// The records of epochs that have ended go with those.
    mutating func remove(_ part: StatePart) {
        if let epoch = part.epoch, endedEpochs.contains(epoch) { return }
        removed.append(StateRecord.Name(part))
    }
}
