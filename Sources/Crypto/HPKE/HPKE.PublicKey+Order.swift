extension HPKE.PublicKey {
    /// Whether something can be sealed to it: on X25519 and X448, a key of low order is refused when it is used (RFC 9180,
    /// section 7.1.4). To ask costs one agreement there, and nothing on the curves of NIST.
    package var isOfHighOrder: Bool {
        switch point {
        case .nist: true
        case .curve25519(let point): (try? Trial.curve25519.sharedSecretFromKeyAgreement(with: point)) != nil
        case .curve448(let point): (try? Trial.curve448.sharedSecretFromKeyAgreement(with: point)) != nil
        }
    }

    /// Keys of nobody.
    private enum Trial {
        static let curve25519 = Curve25519.KeyAgreement.PrivateKey()
        static let curve448 = Curve448.KeyAgreement.PrivateKey()
    }
}
