/// What a status means, in words; `nil` for one that nothing here answers with.
///
/// - Parameter reserved: `nil`.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    messages[status]
}

private let messages: [OSStatus: String] = [
    errSecSuccess: "No error.",
    errSecUnimplemented: "This is not done here.",
    errSecDiskFull: "The disk is full.",
    errSecIO: "The keychain's file could not be read or written.",
    errSecParam: "A key or a value of the request makes no sense, or is missing.",
    errSecAllocate: "There is no memory left.",
    errSecUserCanceled: "The operation was cancelled.",
    errSecBadReq: "The request makes no sense now.",
    errSecInternalComponent: "The cryptographic library refused.",
    errSecNotAvailable: "No keychain is in use; give one to SecKeychain.use.",
    errSecReadOnly: "The keychain's file cannot be written.",
    errSecAuthFailed: "The passphrase, PIN or code is wrong or missing.",
    errSecNoSuchKeychain: "There is no such keychain.",
    errSecInvalidKeychain: "The keychain's file is damaged, was changed from outside, or is an older copy of itself.",
    errSecDuplicateKeychain: "There is such a keychain already.",
    errSecDuplicateItem: "There is such an item already.",
    errSecItemNotFound: "There is no such item.",
    errSecDataTooLarge: "The item is too large.",
    errSecNoSuchAttr: "Items of this class have no such attribute.",
    errSecInvalidItemRef: "The item is not valid any more, or belongs to another device.",
    errSecNoSuchClass: "There is no such class of items.",
    errSecInteractionNotAllowed: "The keychain is locked, and nobody is asked to unlock it.",
    errSecReadOnlyAttr: "The keychain sets this attribute itself.",
    errSecKeySizeNotAllowed: "There are no keys of this size.",
    errSecDecode: "The data cannot be decoded, or were sealed to another key.",
    errSecMissingEntitlement: "The program may not use this access group.",
    errSecDeviceFailed: "The device that holds the key failed.",
    errSecVerifyFailed: "The signature is not that of this key over these data.",
]
