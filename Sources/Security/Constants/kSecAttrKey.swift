/// A public key.
public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key.
public let kSecAttrKeyClassPrivate: CFString = "1"
/// A symmetric key.
public let kSecAttrKeyClassSymmetric: CFString = "2"
/// RSA. Items may have it; keys of it are not made or used here.
public let kSecAttrKeyTypeRSA: CFString = "42"
/// A prime curve of NIST: P-256, P-384 or P-521, by size.
public let kSecAttrKeyTypeEC: CFString = "73"
/// A prime curve of NIST: P-256, P-384 or P-521, by size.
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// The key of a dictionary about the private key that is to be made.
public let kSecPrivateKeyAttrs: CFString = "private"
/// The key of a dictionary about the public key that is to be made.
public let kSecPublicKeyAttrs: CFString = "public"
