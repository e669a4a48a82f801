import FoundationEssentials
import MildamCrypto
import MildamWire

/// A text of Bitwarden's that is encrypted (its `EncString` of type 2): `2.iv|ciphertext|mac`, each in base64; AES-256-CBC,
/// and HMAC-SHA256 over iv ‖ ciphertext.
struct BitwardenCiphertext {
    private let iv: [UInt8]
    private let ciphertext: [UInt8]
    private let mac: [UInt8]

    /// Reads a text.
    ///
    /// - Returns: `nil` for one of another form.
    init?(_ text: Span<UInt8>) {
        guard text.count > 2, text[0] == UInt8(ascii: "2"), text[1] == UInt8(ascii: ".") else { return nil }
        let bars = text.indices.filter { text[$0] == UInt8(ascii: "|") }
        guard bars.count == 2, let iv = try? Base64.standard.decode(ascii: text.extracting(2..<bars[0])),
            let ciphertext = try? Base64.standard.decode(ascii: text.extracting((bars[0] + 1)..<bars[1])),
            let mac = try? Base64.standard.decode(ascii: text.extracting((bars[1] + 1)..<text.count)),
            iv.count == Insecure.AES.blockByteCount, mac.count == 32, !ciphertext.isEmpty,
            ciphertext.count.isMultiple(of: Insecure.AES.blockByteCount)
        else { return nil }
        (self.iv, self.ciphertext, self.mac) = (iv, ciphertext, mac)
    }

    /// What it says; the MAC is checked before a byte is decrypted.
    ///
    /// - Returns: `nil` when it was not encrypted under these keys, or changed since.
    func open(_ keys: BitwardenKeys) throws(TransferError) -> SecretBytes? {
        var authenticator = HMAC<SHA256>(key: keys.authentication)
        authenticator.update(data: iv)
        authenticator.update(data: ciphertext)
        guard constantTimeEquals(authenticator.finalize(), mac) else { return nil }
        do throws(CryptoKitError) {
            var decryptor = try Insecure.AES.CBC.Decryptor(key: keys.encryption, iv: Insecure.AES.IV(data: iv))
            var content = ciphertext
            defer { content.wipe() }
            try decryptor.finish(inPlace: &content)
            return SecretBytes(copying: content.span)
        } catch .invalidParameter {
            return nil
        } catch {
            throw .cryptography(error)
        }
    }
}
