extension HPKE.PublicKey {
    /// Whether something can be sealed to it: on X25519 and X448, a key of low order is refused when it is used (RFC 9180,
    /// section 7.1.4). To ask compares the key with the few that there are; on the curves of NIST there are none. The key is
    /// public, so how long that takes tells nothing.
    package var isOfHighOrder: Bool {
        switch point {
        case .nist: true
        case .curve25519: !LowOrderPoints.x25519.contains(serialized)
        case .curve448: !LowOrderPoints.x448.contains(serialized)
        }
    }
}
