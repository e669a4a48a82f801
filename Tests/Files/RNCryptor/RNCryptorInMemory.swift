import MildamCrypto
import MildamFiles

/// The secret of a password.
func password(_ text: String) -> RNCryptorSecret { .password(SecretBytes(copying: Array(text.utf8))) }

/// Two keys that are the same in every run.
let fixedKeys = (
    encryption: SymmetricKey(data: [UInt8](repeating: 1, count: 32)),
    hmac: SymmetricKey(data: [UInt8](repeating: 2, count: 32))
)

/// The secret of those keys.
func fixedSecret() -> RNCryptorSecret { .keys(encryption: fixedKeys.encryption, hmac: fixedKeys.hmac) }

/// Files of the old versions, put together from their parts.
struct RNCryptorMaker {
    var mark: [UInt8]
    /// The password's bytes from which keys are derived; `nil` for `fixedKeys`.
    var password: [UInt8]?
    var isCounting = false
    var coversHeader = false
    var salts = [UInt8](0..<16)
    var iv = [UInt8](0..<16)

    static func version(_ version: UInt8, _ password: String?) -> RNCryptorMaker {
        RNCryptorMaker(
            mark: [version, password == nil ? 0 : 1],
            password: password.map { Array($0.utf8) },
            coversHeader: version >= 2
        )
    }

    private func key(_ salt: ArraySlice<UInt8>, _ given: SymmetricKey) throws -> SymmetricKey {
        guard let password else { return given }
        return try KDF.PBKDF2.deriveKey(
            from: password,
            salt: Array(salt),
            using: .insecureSHA1,
            outputByteCount: 32,
            rounds: 10_000
        )
    }

    /// A file with this content, ended by HMAC-SHA256.
    func file(_ content: [UInt8]) throws -> [UInt8] {
        let key = try key(salts[..<8], fixedKeys.encryption)
        let iv = try Insecure.AES.IV(data: self.iv)
        var ciphertext = content
        if isCounting {
            var cipher = try Insecure.AES.CTR(key: key, iv: iv)
            var span = ciphertext.mutableSpan
            cipher.update(inPlace: &span)
        } else {
            ciphertext = try Array(Insecure.AES.CBC.encrypt(content, using: key, iv: iv))
        }
        let header = mark + (password == nil ? [] : salts) + self.iv
        let code = try HMAC<SHA256>.authenticationCode(
            for: (coversHeader ? header : []) + ciphertext,
            using: self.key(salts[8...], fixedKeys.hmac)
        )
        return header + ciphertext + code
    }
}
