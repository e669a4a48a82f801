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
