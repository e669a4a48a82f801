/// A certificate, and the private key that belongs to it.
public final class SecIdentity: Hashable, Sendable, CustomStringConvertible {
    let certificate: SecCertificate
    let privateKey: SecKey

    /// `nil` when the key is not the certificate's.
    init?(_ certificate: SecCertificate, _ privateKey: SecKey) {
        guard privateKey.isPrivate, privateKey.applicationLabel == certificate.publicKeyHash else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// Whether both have the same certificate and the same key.
    public static func == (left: SecIdentity, right: SecIdentity) -> Bool {
        left.certificate == right.certificate && left.privateKey == right.privateKey
    }

    /// Feeds the certificate to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }

    /// The certificate's name, and nothing of the key.
    public var description: String { "SecIdentity (\(certificate.summary ?? "no name"))" }
}

/// An identity; `nil` when the private key is not the certificate's.
public func SecIdentityCreate(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ privateKey: SecKey
) -> SecIdentity? {
    SecIdentity(certificate, privateKey)
}

/// The identity's certificate.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identity: SecIdentity,
    _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificate.pointee = identity.certificate
    return errSecSuccess
}

/// The identity's private key.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identity: SecIdentity,
    _ privateKey: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKey.pointee = identity.privateKey
    return errSecSuccess
}
