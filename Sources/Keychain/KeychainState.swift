/// How open a keychain is.
public enum KeychainState: UInt8, Sendable {
    /// Not opened since the agent, or the program, began: nothing can be read.
    case closed = 0
    /// Opened, and locked since: `afterFirstUnlock` items can be read.
    case locked = 1
    /// Open.
    case unlocked = 2
}

/// A way to open the keychain, as it is listed.
public struct SlotInfo: Equatable, Sendable {
    /// Which one.
    public let number: Int64
    /// The way.
    public let kind: SlotKind
    /// When it was made, in milliseconds since 1970.
    public let created: Int64
    /// What its passphrase costs to try.
    public let costs: PassphraseCosts?
}

/// What a look at every row found.
public struct KeychainReport: Equatable, Sendable {
    /// How many items there are.
    public var items = 0
    /// The numbers of those that do not open.
    public var damaged: [Int64] = []
    /// How many could be looked at only from outside, for their key is not here.
    public var unopened = 0
    /// What is wrong with the file as a whole.
    public var problem: KeychainError?

    /// Whether nothing is wrong.
    public var isSound: Bool { damaged.isEmpty && problem == nil }
}
