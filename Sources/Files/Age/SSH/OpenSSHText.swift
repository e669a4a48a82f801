import MildamCrypto
import MildamWire

/// The text form of OpenSSH's private keys: base64 between two lines.
enum OpenSSHText {
    /// The longest text that is read, in bytes: 16 KiB, as in age.
    static let maximumSize = 1 << 14

    private static let begin = "-----BEGIN OPENSSH PRIVATE KEY-----"
    private static let end = "-----END OPENSSH PRIVATE KEY-----"

    /// What stands between the lines; no copy is left elsewhere.
    ///
    /// - Throws: `rsaKey` or `otherPrivateKeyFile` for a private key in another form; `malformedSSHKey`.
    static func decode(_ text: Span<UInt8>) throws(AgeKeyDefect) -> SecretBytes {
        guard text.count <= maximumSize else { throw .malformedSSHKey }
        let lines = TextLine.all(of: text)
        guard let first = lines.first, let last = lines.last else { throw .malformedSSHKey }
        guard text.extracting(first.range).equals(begin) else {
            throw text.starts(with: "-----BEGIN RSA PRIVATE KEY-----") ? .rsaKey : .otherPrivateKeyFile
        }
        guard text.extracting(last.range).equals(end) else { throw .malformedSSHKey }
        let body = lines.dropFirst().dropLast()
        do throws(WireError) {
            return try TextLine.base64(body, of: text)
        } catch {
            throw .malformedSSHKey
        }
    }
}
