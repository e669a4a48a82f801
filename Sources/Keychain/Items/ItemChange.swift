/// What is to become of the items that an update matches.
public struct ItemChange: Sendable {
    /// Attributes and their new values; `nil` takes one away.
    public var attributes: [ItemAttribute: AttributeValue?]
    /// What they are to protect from now on.
    public var secret: SecretValue?
    /// When they can be read from now on.
    public var accessibility: Accessibility?
    /// The group that they move to.
    public var accessGroup: String?
    /// Whether their owner wants them on every device from now on.
    public var isSynchronizable: Bool?

    /// A change of attributes, of the secret, or of both.
    public init(_ attributes: [ItemAttribute: AttributeValue?] = [:], secret: SecretValue? = nil) {
        self.attributes = attributes
        self.secret = secret
    }

    /// Whether it changes nothing.
    var isEmpty: Bool {
        attributes.isEmpty && secret == nil && accessibility == nil && accessGroup == nil && isSynchronizable == nil
    }
}
