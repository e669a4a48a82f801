/// A private key for key agreement, wherever it lies: in memory, or in a chip that never lets it out.
public protocol KeyAgreeing<Curve>: Sendable {
    /// The curve that it is a key of.
    associatedtype Curve: NISTCurve

    /// The secret that both sides arrive at: the x-coordinate, of as many bytes as the curve's coordinates have
    /// (SEC 1, section 3.3.1).
    ///
    /// - Throws: why the key cannot be used.
    func sharedSecretFromKeyAgreement(with publicKeyShare: ECDH<Curve>.PublicKey) async throws -> SharedSecret
}

extension NISTPrivateKey: KeyAgreeing where Use == ECDH<Curve> {}
