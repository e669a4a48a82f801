/// It was done.
public let errSecSuccess: OSStatus = 0
/// It is not done here.
public let errSecUnimplemented: OSStatus = -4
/// The disk is full.
public let errSecDiskFull: OSStatus = -34
/// The file could not be read or written.
public let errSecIO: OSStatus = -36
/// A key or a value of a dictionary makes no sense, or is missing.
public let errSecParam: OSStatus = -50
/// There is no memory left.
public let errSecAllocate: OSStatus = -108
/// A person said no.
public let errSecUserCanceled: OSStatus = -128
/// The request makes no sense in this state.
public let errSecBadReq: OSStatus = -909
/// Something failed inside.
public let errSecInternalComponent: OSStatus = -2070
/// No keychain is in use, or its agent is not there.
public let errSecNotAvailable: OSStatus = -25291
/// The file cannot be written.
public let errSecReadOnly: OSStatus = -25292
/// A passphrase, PIN or code is wrong or missing.
public let errSecAuthFailed: OSStatus = -25293
/// There is no such keychain.
public let errSecNoSuchKeychain: OSStatus = -25294
/// The keychain's file is damaged, was changed from outside, or is an older copy of itself.
public let errSecInvalidKeychain: OSStatus = -25295
/// There is a keychain of this name.
public let errSecDuplicateKeychain: OSStatus = -25296
/// There is an item with this primary key.
public let errSecDuplicateItem: OSStatus = -25299
/// No item matches.
public let errSecItemNotFound: OSStatus = -25300
/// The item is too large.
public let errSecDataTooLarge: OSStatus = -25302
/// Items of this class have no such attribute.
public let errSecNoSuchAttr: OSStatus = -25303
/// The item is not valid any more.
public let errSecInvalidItemRef: OSStatus = -25304
/// There is no such class of items.
public let errSecNoSuchClass: OSStatus = -25306
/// The keychain is locked, and nobody is asked to unlock it.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// The keychain sets this attribute itself.
public let errSecReadOnlyAttr: OSStatus = -25309
/// There are no keys of this size.
public let errSecKeySizeNotAllowed: OSStatus = -25311
/// The data cannot be decoded.
public let errSecDecode: OSStatus = -26275
/// The program may not use this access group.
public let errSecMissingEntitlement: OSStatus = -34018
/// The device that holds the key failed.
public let errSecDeviceFailed: OSStatus = -67588
/// A signature is not that of this key over these data.
public let errSecVerifyFailed: OSStatus = -67808
