/// What keys of a curve of NIST are for: `ECDH` or `ECDSA`. A key for one is no key for the other (NIST SP 800-57, part 1,
/// section 5.2).
public protocol NISTKeyUse: Sendable {
    /// What CryptoKit calls it: "KeyAgreement" or "Signing".
    static var name: String { get }
}
