import MildamWire

/// A kind of extension (RFC 9420, section 17.3). Any number can be read.
public struct ExtensionType: WireNumber {
    /// The number in IANA's registry "MLS Extension Types".
    public let rawValue: UInt16

    /// The type of this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// What an application calls the client; in a leaf.
    public static let applicationID = ExtensionType(rawValue: 0x0001)
    /// The whole ratchet tree; in a GroupInfo.
    public static let ratchetTree = ExtensionType(rawValue: 0x0002)
    /// What every member has to be able to do; in the group's context.
    public static let requiredCapabilities = ExtensionType(rawValue: 0x0003)
    /// The key for joining without being asked; in a GroupInfo.
    public static let externalPub = ExtensionType(rawValue: 0x0004)
    /// Who may propose from outside; in the group's context.
    public static let externalSenders = ExtensionType(rawValue: 0x0005)
    /// That a key package may be used more than once; in a key package (draft-ietf-mls-extensions).
    public static let lastResort = ExtensionType(rawValue: 0x000A)

    /// Whether everybody knows it, so that nobody lists it (RFC 9420, section 7.2).
    public var isDefault: Bool { (0x0001...0x0005).contains(rawValue) }
}
