extension Vault {
    /// What became of a source.
    public struct Addition: Sendable {
        /// The source.
        public let source: VaultSource
        /// What it is in the vault, or why it is not there.
        public let result: Result<VaultEntry, VaultError>
        /// What was done for that; `nil` where it was refused.
        public let outcome: AdditionOutcome?
    }
}

/// What was done to have something in a vault.
public enum AdditionOutcome: String, Sendable {
    /// Its content is new, and stored.
    case stored
    /// Its name is new; the vault had the content already, which is stored once.
    case shared
    /// It took the place of another content of that name, which is a former version now.
    case replaced
    /// The vault had that content under that name.
    case unchanged
}

/// How sources are added.
public struct AdditionRule: Sendable {
    /// Whether what has changed takes the place of what has its name; if not, it is refused.
    public var replacing = true
    /// Whether to read files, too, that have the size and the time of what has their name.
    public var readingAll = false

    /// The usual: what has changed takes the place of the old, and what has not is not read.
    public init() {}
}
