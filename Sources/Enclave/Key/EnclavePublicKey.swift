import FoundationEssentials
import MildamCrypto

/// The public half of a key, by what the key is for.
public enum EnclavePublicKey: Sendable, Hashable {
    /// Of a key that agrees on secrets.
    case keyAgreement(P256.KeyAgreement.PublicKey)
    /// Of a key that signs.
    case signing(P256.Signing.PublicKey)

    /// A key from 0x04 ‖ X ‖ Y, 65 bytes (SEC 1, section 2.3.3).
    ///
    /// - Throws: `CryptoKitError` for what is no point of the curve.
    init(_ purpose: EnclaveKeyPurpose, x963Representation point: some ContiguousBytes) throws(CryptoKitError) {
        switch purpose {
        case .keyAgreement: self = .keyAgreement(try P256.KeyAgreement.PublicKey(x963Representation: point))
        case .signing: self = .signing(try P256.Signing.PublicKey(x963Representation: point))
        }
    }

    /// What the key is for.
    public var purpose: EnclaveKeyPurpose {
        switch self {
        case .keyAgreement: .keyAgreement
        case .signing: .signing
        }
    }

    /// The SubjectPublicKeyInfo in DER, 91 bytes (RFC 5480, section 2).
    public var derRepresentation: Data {
        switch self {
        case .keyAgreement(let key): key.derRepresentation
        case .signing(let key): key.derRepresentation
        }
    }

    /// 0x04 ‖ X ‖ Y, 65 bytes (SEC 1, section 2.3.3).
    public var x963Representation: Data {
        switch self {
        case .keyAgreement(let key): key.x963Representation
        case .signing(let key): key.x963Representation
        }
    }
}
