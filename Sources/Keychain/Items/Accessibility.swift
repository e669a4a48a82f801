/// When an item can be read (`kSecAttrAccessible`).
public enum Accessibility: UInt8, CaseIterable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = 1
    /// From the first unlocking until the agent, or the program that opened the keychain, ends.
    case afterFirstUnlock = 2
    /// While the keychain is unlocked; never part of an export.
    case whenUnlockedThisDeviceOnly = 3
    /// From the first unlocking on; never part of an export.
    case afterFirstUnlockThisDeviceOnly = 4
    /// While the keychain is unlocked with its passphrase; gone for good when the passphrase is removed. Never part of
    /// an export, and a recovery code does not open it.
    case whenPasscodeSetThisDeviceOnly = 5

    /// Whether locking takes its key away.
    public var endsWithLock: Bool {
        switch self {
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: false
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        }
    }

    /// Whether its items stay on this device: an export leaves them out, and says so.
    public var staysOnThisDevice: Bool {
        switch self {
        case .whenUnlocked, .afterFirstUnlock: false
        case .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        }
    }
}
