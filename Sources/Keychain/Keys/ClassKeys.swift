import FoundationEssentials
import MildamCrypto

/// The keys of an open keychain: one for the metadata, one for each accessibility.
///
/// ```
/// main key (in each slot)                    passcode key (in each slot with a passcode)
///  ├ metadata                                 └ whenPasscodeSetThisDeviceOnly
///  ├ whenUnlocked, whenUnlockedThisDeviceOnly
///  └ afterFirstUnlock, afterFirstUnlockThisDeviceOnly
/// ```
/// Each is HKDF-SHA256 of the key above it, so that nothing but the slots is stored. The main key itself is forgotten
/// once the others are there.
struct ClassKeys: Sendable {
    /// What attributes, indexes, hashes and the head are sealed under.
    let metadata: SymmetricKey
    private var keys: [Accessibility: SymmetricKey] = [:]
    /// Whether the keys that locking takes away are here.
    private(set) var isUnlocked = true

    init(_ content: KeySlot.Content, _ keychain: KeychainIdentifier) {
        metadata = Self.derive(content.main, "metadata", keychain)
        for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
            keys[accessibility] = Self.derive(content.main, "class \(accessibility.rawValue)", keychain)
        }
        if let passcode = content.passcode {
            let accessibility = Accessibility.whenPasscodeSetThisDeviceOnly
            keys[accessibility] = Self.derive(passcode, "class \(accessibility.rawValue)", keychain)
        }
    }

    /// The key of an accessibility.
    ///
    /// - Throws: `locked`, `needsPassphrase`.
    func key(_ accessibility: Accessibility) throws(KeychainError) -> SymmetricKey {
        if let key = keys[accessibility] { return key }
        throw isUnlocked ? .needsPassphrase : .locked
    }

    /// Forgets the keys that end with the lock.
    mutating func lock() {
        for accessibility in Accessibility.allCases where accessibility.endsWithLock { keys[accessibility] = nil }
        isUnlocked = false
    }

    /// Forgets the key of what only a passcode opens.
    mutating func forgetPasscode() { keys[.whenPasscodeSetThisDeviceOnly] = nil }

    private static func derive(_ key: SymmetricKey, _ label: String, _ keychain: KeychainIdentifier) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: keychain.bytes,
            info: Array("mildam/1 keychain \(label)".utf8),
            outputByteCount: 32
        )
    }
}
