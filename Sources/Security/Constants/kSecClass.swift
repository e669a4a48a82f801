/// The key of an item's class.
public let kSecClass: CFString = "class"
/// A password, or another secret, of a service.
public let kSecClassGenericPassword: CFString = "genp"
/// A password for a server on the network.
public let kSecClassInternetPassword: CFString = "inet"
/// An X.509 certificate.
public let kSecClassCertificate: CFString = "cert"
/// A cryptographic key.
public let kSecClassKey: CFString = "keys"
/// A certificate and the private key that belongs to it.
public let kSecClassIdentity: CFString = "idnt"
