import MildamWire

/// A kind of credential (RFC 9420, section 17.5). Any number can be read.
public struct CredentialType: WireNumber {
    /// The number in IANA's registry "MLS Credential Types".
    public let rawValue: UInt16

    /// The type of this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An identity that the application gives a form.
    public static let basic = CredentialType(rawValue: 1)
    /// A chain of X.509 certificates.
    public static let x509 = CredentialType(rawValue: 2)
}
