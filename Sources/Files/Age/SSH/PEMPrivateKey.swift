import MildamCrypto
import MildamWire

/// RSA private keys in the forms that `ssh-keygen -m PEM` and `-m PKCS8` write, and age reads: DER in base64 between two
/// lines (RFC 7468).
enum PEMPrivateKey: String, CaseIterable {
    case pkcs1 = "RSA PRIVATE KEY"
    case pkcs8 = "PRIVATE KEY"

    /// The form that a text begins as, if it is one of these.
    init?(_ text: Span<UInt8>) {
        guard let first = TextLine.all(of: text).first else { return nil }
        let line = text.extracting(first.range)
        guard let form = PEMPrivateKey.allCases.first(where: { line.equals("-----BEGIN \($0.rawValue)-----") }) else {
            return nil
        }
        self = form
    }

    /// Reads a key.
    ///
    /// - Parameter text: up to 16 KiB, as of OpenSSH's own form.
    /// - Throws: `encryptedPEMKey` for one under a passphrase; `otherPrivateKeyFile` for PKCS #8 of another kind of key;
    ///   `rsaKeySize`, `malformedSSHKey`.
    func identity(_ text: Span<UInt8>) throws(AgeKeyDefect) -> AgeSSHRSAIdentity {
        let der = try decode(text)
        do throws(CryptoKitError) {
            switch self {
            case .pkcs1: return AgeSSHRSAIdentity(try RSA.PrivateKey(pkcs1: der.span))
            case .pkcs8: return AgeSSHRSAIdentity(try RSA.PrivateKey(pkcs8: der.span))
            }
        } catch {
            if error != .incorrectKeySize, self == .pkcs8 { throw .otherPrivateKeyFile }
            throw AgeKeyDefect(rsa: error)
        }
    }

    private func decode(_ text: Span<UInt8>) throws(AgeKeyDefect) -> SecretBytes {
        guard text.count <= OpenSSHText.maximumSize else { throw .malformedSSHKey }
        let lines = TextLine.all(of: text)
        guard let last = lines.last, text.extracting(last.range).equals("-----END \(rawValue)-----") else {
            throw .malformedSSHKey
        }
        let body = lines.dropFirst().dropLast()
        // Under a passphrase there are headers, as RFC 1421 has them.
        if body.contains(where: { text.extracting($0.range).starts(with: "Proc-Type:") }) { throw .encryptedPEMKey }
        do throws(WireError) {
            return try TextLine.base64(body, of: text)
        } catch {
            throw .malformedSSHKey
        }
    }
}
