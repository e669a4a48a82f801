/// Which item of which keychain (`kSecValuePersistentRef`): it stays the same through every update.
public struct ItemReference: Hashable, Sendable {
    /// The keychain.
    public let keychain: KeychainIdentifier
    /// The item's number in it, from 1; no number is given out twice.
    public let number: Int64

    /// Names an item.
    public init(keychain: KeychainIdentifier, number: Int64) {
        self.keychain = keychain
        self.number = number
    }
}

/// An item as the keychain has it.
public struct KeychainItem: Sendable {
    /// Which one it is.
    public let reference: ItemReference
    /// Its kind.
    public let itemClass: ItemClass
    /// Which programs may use it.
    public let accessGroup: String
    /// Whether its owner wants it on every device. It is kept and matched as Apple's is; nothing is sent anywhere.
    public let isSynchronizable: Bool
    /// When it can be read.
    public let accessibility: Accessibility
    /// Its attributes, with the dates of creation and modification.
    public let attributes: ItemAttributes
    /// What it protects, when that was asked for.
    public let secret: SecretValue?
}
