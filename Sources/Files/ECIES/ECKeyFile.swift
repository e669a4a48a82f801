import FoundationEssentials
import MildamCrypto
import MildamSystem

/// Files of one key of P-256, P-384 or P-521, public or private, as OpenSSL and Apple's systems write them:
///
/// | form | public | private |
/// |---|---|---|
/// | PEM (RFC 7468) | `PUBLIC KEY` | `PRIVATE KEY`, `EC PRIVATE KEY` |
/// | DER | SubjectPublicKeyInfo (RFC 5480) | PrivateKeyInfo (RFC 5958), ECPrivateKey (RFC 5915) |
/// | `SecKeyCopyExternalRepresentation` | 0x04 ‖ X ‖ Y | 0x04 ‖ X ‖ Y ‖ scalar |
///
/// They are read into secret memory, which is wiped.
public enum ECKeyFile {
    /// The largest file that is read, in bytes: 16 KiB.
    public static let maximumSize = 1 << 14

    /// The text of a public key's file, in PEM, without a line break at its end.
    ///
    /// - Parameter der: the key's SubjectPublicKeyInfo.
    public static func text(publicKey der: Data) -> String { PEMBlock.text(.publicKey, der) }

    /// Reads a file or pipe whole.
    static func contents(of source: borrowing Descriptor, path: String?) throws(ECKeyError) -> SecretBytes {
        let read: SecretBytes? = try ECKeyError.reporting { () throws(SystemError) in
            try SecretBytes.reading(source, limit: maximumSize, path: path)
        }
        guard let read else { throw .tooLarge }
        return read
    }

    /// The form of a key, by its first bytes.
    enum Form {
        case pem
        case der
        case x963

        init(_ bytes: Span<UInt8>) throws(ECKeyError) {
            guard bytes.count > 0 else { throw .unknown }
            switch bytes[0] {
            case 0x04: self = .x963
            case 0x30: self = .der
            default: self = .pem
            }
        }
    }
}
