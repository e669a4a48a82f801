import FoundationEssentials
import MildamKeychain

/// Makes a key, in memory or in the enclave in use, and keeps it in the keychain if it is to be permanent.
///
/// A key of the enclave agrees on secrets, which is what decryption needs; one whose `kSecPrivateKeyAttrs` have
/// `kSecAttrCanSign` signs instead.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType`, `kSecAttrKeySizeInBits` (256 unless it is said), `kSecAttrTokenID`,
///     `kSecPrivateKeyAttrs` and `kSecPublicKeyAttrs`.
///   - error: where an error goes.
/// - Returns: the private key.
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe unless(error) { () throws(Refusal) in try KeyRequest(parameters).make() }
}

/// A key from its external representation: 0x04 ‖ X ‖ Y, or 0x04 ‖ X ‖ Y ‖ scalar.
///
/// - Parameters:
///   - keyData: the key.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; and `kSecAttrKeySizeInBits`, which must be right.
///   - error: where an error goes.
public func SecKeyCreateWithData(
    _ keyData: CFData,
    _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe unless(error) { () throws(Refusal) in
        let request = try ItemRequest(attributes.merging([kSecClass: kSecClassKey]) { $1 })
        let isPrivate: Bool
        switch request.attributes.number(.keyClass) {
        case 0: isPrivate = false
        case 1: isPrivate = true
        default: throw .parameter("\(kSecAttrKeyClass) is to be public or private")
        }
        guard request.attributes[.tokenID] == nil else { throw .parameter("an enclave takes no key from outside") }
        let key = try SecKey(
            stored: SecretValue(copying: keyData),
            [
                .type: request.attributes[.type] ?? .number(SecKey.ellipticCurve),
                .keyClass: isPrivate ? 1 : 0,
            ]
        )
        let size = request.attributes.number(.keySizeInBits)
        guard size == nil || size == Int64(key.publicMaterial.sizeInBits) else {
            throw .parameter("the key has \(key.publicMaterial.sizeInBits) bits")
        }
        return key
    }
}

/// The public key of a private one; of a public one, itself.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    key.isPrivate ? SecKey(key.publicMaterial) : key
}

/// 0x04 ‖ X ‖ Y of a public key, 0x04 ‖ X ‖ Y ‖ scalar of a private one, in memory that nothing wipes.
///
/// - Returns: `nil`, and an error, for a private key in an enclave.
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe unless(error) { () throws(Refusal) in
        guard key.isPrivate else { return key.publicMaterial.point }
        guard try key.privateKey().tokenID == nil else {
            throw Refusal(errSecUnimplemented, "a key of an enclave never leaves it")
        }
        return unsafe key.storedForm.withUnsafeBytes { unsafe Data($0) }
    }
}

/// What the key is: its class, type, sizes, application label and token, and what it can do.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    var dictionary: CFDictionary = [:]
    for (attribute, value) in key.attributes.sorted where attribute != .isPermanent {
        dictionary[attribute.rawValue] = value.object
    }
    // Apple gives these two as its constants here, and as numbers for items.
    dictionary[kSecAttrKeyType] = kSecAttrKeyTypeECSECPrimeRandom
    dictionary[kSecAttrKeyClass] = key.isPrivate ? kSecAttrKeyClassPrivate : kSecAttrKeyClassPublic
    return dictionary
}

/// How many bytes a coordinate of the key's curve has.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { (key.publicMaterial.sizeInBits + 7) / 8 }
