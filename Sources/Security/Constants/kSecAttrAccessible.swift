/// While the keychain is unlocked.
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// From the first unlocking on.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// While the keychain is unlocked; never part of an export.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// From the first unlocking on; never part of an export.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// While the keychain is unlocked with its passphrase; never part of an export.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
/// Always, Apple's deprecated value: refused, since a locked keychain opens nothing.
public let kSecAttrAccessibleAlways: CFString = "dk"
/// Always, Apple's deprecated value: refused, since a locked keychain opens nothing.
public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"
