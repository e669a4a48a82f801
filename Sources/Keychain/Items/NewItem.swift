/// An item to be added.
public struct NewItem: Sendable {
    /// Its kind.
    public var itemClass: ItemClass
    /// Which programs may use it; `nil` is the adding program's own group.
    public var accessGroup: String?
    /// Whether its owner wants it on every device.
    public var isSynchronizable = false
    /// When it can be read.
    public var accessibility = Accessibility.whenUnlocked
    /// Its attributes.
    public var attributes: ItemAttributes
    /// What it protects.
    public var secret: SecretValue

    /// An item of the program's own group, readable while the keychain is unlocked.
    public init(_ itemClass: ItemClass, _ attributes: ItemAttributes, secret: SecretValue) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.secret = secret
    }
}

extension NewItem {
    /// Throws `invalidRequest` for what no keychain takes.
    func check() throws(KeychainError) {
        guard itemClass != .identity else {
            throw .invalidRequest(reason: "an identity is added as its certificate and its key")
        }
        try attributes.check(itemClass)
        try secret.check()
        guard !(isSynchronizable && accessibility.staysOnThisDevice) else {
            throw .invalidRequest(reason: "what stays on this device cannot be synchronizable")
        }
    }
}

extension SecretValue {
    /// Throws `invalidRequest` for one that is too large for an item.
    func check() throws(KeychainError) {
        guard count <= Self.maximumSize else { throw .invalidRequest(reason: "a secret of more than 4 MiB") }
    }
}
