import MildamCrypto

/// A key that a password may mean in a layout, and the IV that goes with it.
struct LegacyCandidate: Sendable {
    static let keySize = 32

    let form: LegacyKey
    let key: SymmetricKey
    let iv: Insecure.AES.IV

    /// All that a password may mean, the most likely first.
    static func all(
        _ layout: LegacyLayout,
        _ password: borrowing SecretBytes
    ) throws(LegacyError) -> [LegacyCandidate] {
        do {
            switch layout {
            case .passwordAsKey:
                let zero = try Insecure.AES.IV(data: [UInt8](repeating: 0, count: 16))
                guard password.count > keySize else {
                    return [LegacyCandidate(form: .wholePassword, key: padded(password, password.count), iv: zero)]
                }
                return [
                    LegacyCandidate(form: .truncatedPassword, key: padded(password, roomFor(password)), iv: zero),
                    LegacyCandidate(form: .zero, key: padded(password, 0), iv: zero),
                ]
            case .pbkdf2(let salt, let iv, let rounds):
                let key = try unsafe password.withUnsafeBytes { (password) throws(CryptoKitError) in
                    try unsafe KDF.PBKDF2.deriveKey(
                        from: password,
                        salt: salt,
                        using: .sha256,
                        outputByteCount: keySize,
                        rounds: rounds
                    )
                }
                return [LegacyCandidate(form: .wholePassword, key: key, iv: try Insecure.AES.IV(data: iv))]
            }
        } catch {
            throw error == .incorrectParameterSize ? LegacyError.invalidParameter : .cryptography(error)
        }
    }

    /// The first `count` bytes, and zeros up to 32.
    private static func padded(_ password: borrowing SecretBytes, _ count: Int) -> SymmetricKey {
        SymmetricKey(
            unsafe SecretBytes(count: keySize) { key in
                unsafe password.withUnsafeBytes {
                    unsafe key.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
            }
        )
    }

    /// How many bytes the first characters of a longer password have that fit in 32 together.
    private static func roomFor(_ password: borrowing SecretBytes) -> Int {
        let bytes = password.span
        var count = keySize
        while count > 0, bytes[count] & 0xc0 == 0x80 { count -= 1 }
        return count
    }

    /// What opens a ciphertext with it.
    func cipher() throws(LegacyError) -> Insecure.AES.CBC.Decryptor {
        do { return try Insecure.AES.CBC.Decryptor(key: key, iv: iv) } catch { throw .cryptography(error) }
    }

    /// Whether a ciphertext that ends so has a right padding under this key.
    ///
    /// - Parameter end: its last two blocks, or its only one.
    func fits(_ end: [UInt8]) -> Bool {
        guard end.count > 16 else { return isPadded(end, iv) }
        guard let before = try? Insecure.AES.IV(data: end.prefix(16)) else { return false }
        return isPadded(Array(end.suffix(16)), before)
    }

    private func isPadded(_ block: [UInt8], _ before: Insecure.AES.IV) -> Bool {
        (try? Insecure.AES.CBC.decrypt(block, using: key, iv: before)) != nil
    }
}
