import MildamIdentity

/// Somebody whom the profile has met.
public struct ContactRow: Codable, Equatable, Sendable {
    /// What the account is called.
    public var handle: Handle
    /// The fingerprint of its identity key.
    public var fingerprint: String
    /// Whether the profile has met it just now, and not before.
    public var isNew: Bool
    /// How far the key is believed.
    public var state: PinState
    /// What the relay would not be told, of this account or of others; missing where there is nothing.
    public var refused: [StandingRefusal]?

    /// Makes a row.
    public init(
        handle: Handle,
        fingerprint: String,
        isNew: Bool,
        state: PinState,
        refused: [StandingRefusal]? = nil
    ) {
        self.handle = handle
        self.fingerprint = fingerprint
        self.isNew = isNew
        self.state = state
        self.refused = refused
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.check(fingerprint, "fingerprint", 1...128)
        try StandingRefusal.check(refused)
    }
}
