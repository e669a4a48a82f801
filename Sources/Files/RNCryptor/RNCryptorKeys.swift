import MildamCrypto

/// The two keys of a file.
struct RNCryptorKeys: Sendable {
    static let size = 32
    static let saltSize = 8
    private static let rounds = 10_000

    let encryption: SymmetricKey
    let hmac: SymmetricKey
    /// Whether they come from less than the whole password.
    var isPasswordTruncated = false

    /// Two keys that were given.
    init(encryption: SymmetricKey, hmac: SymmetricKey) throws(RNCryptorError) {
        guard encryption.bitCount == RNCryptorKeys.size * 8, hmac.bitCount == RNCryptorKeys.size * 8 else {
            throw .invalidKeySize
        }
        self.encryption = encryption
        self.hmac = hmac
    }

    /// The keys of a password: of its first `count` bytes.
    init(
        password: borrowing SecretBytes,
        count: Int,
        salts: RNCryptorHeader.Salts
    ) throws(RNCryptorError) {
        encryption = try RNCryptorKeys.derive(password, count, salts.encryption)
        hmac = try RNCryptorKeys.derive(password, count, salts.hmac)
        isPasswordTruncated = count < password.count
    }

    /// The pairs of keys that may be a file's, the most likely first: one, or two where its writer may have cut the
    /// password short.
    ///
    /// Up to version 2 the original took as many bytes of the password's UTF-8 as the password had characters, that is
    /// UTF-16 code units (`NSString.length`); its ports did not. So both are tried.
    static func candidates(
        for header: RNCryptorHeader,
        _ secret: borrowing RNCryptorSecret
    ) throws(RNCryptorError) -> [RNCryptorKeys] {
        switch secret {
        case .keys(let encryption, let hmac):
            guard header.salts == nil else { throw .differentlyKeyed(needsPassword: true) }
            return [try RNCryptorKeys(encryption: encryption, hmac: hmac)]
        case .password(let password):
            guard let salts = header.salts else { throw .differentlyKeyed(needsPassword: false) }
            var candidates = [try RNCryptorKeys(password: password, count: password.count, salts: salts)]
            let length = utf16Count(password)
            if header.version != .three, length < password.count {
                candidates.append(try RNCryptorKeys(password: password, count: length, salts: salts))
            }
            return candidates
        }
    }

    /// The keys of a new file.
    init(forNew header: RNCryptorHeader, _ secret: borrowing RNCryptorSecret) throws(RNCryptorError) {
        guard !secret.isEmptyPassword else { throw .emptyPassword }
        self = try RNCryptorKeys.candidates(for: header, secret)[0]
    }

    private static func derive(
        _ password: borrowing SecretBytes,
        _ count: Int,
        _ salt: [UInt8]
    ) throws(RNCryptorError) -> SymmetricKey {
        do {
            return try unsafe password.withUnsafeBytes { (password) throws(CryptoKitError) in
                try unsafe KDF.PBKDF2.deriveKey(
                    from: UnsafeRawBufferPointer(rebasing: password[..<count]),
                    salt: salt,
                    using: .insecureSHA1,
                    outputByteCount: size,
                    rounds: rounds
                )
            }
        } catch {
            throw .cryptography(error)
        }
    }

    /// How many UTF-16 code units a text in UTF-8 has: one for each character, two for one of four bytes.
    private static func utf16Count(_ text: borrowing SecretBytes) -> Int {
        let bytes = text.span
        var count = 0
        for index in bytes.indices where bytes[index] & 0xc0 != 0x80 { count += bytes[index] < 0xf0 ? 1 : 2 }
        return count
    }
}
