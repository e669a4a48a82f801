import MildamCrypto

extension Primitives {
    /// What HPKE costs for one message of 64 bytes beside the operations on the curve that nobody can spare it.
    static func encapsulations() async throws -> [Figure] {
        let ciphersuite = HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_128)
        let bytes = [UInt8](repeating: 7, count: 64)
        let own = Curve25519.KeyAgreement.PrivateKey()
        let other = own.publicKey
        let (key, recipient) = (own.hpkeKey, other.hpkeKey)
        let box = try HPKE.seal(bytes.span, to: recipient, ciphersuite: ciphersuite, authenticating: bytes.span)
        let medians = try await alternating(
            3,
            [
                {
                    try cost {
                        _ = try HPKE.seal(
                            bytes.span,
                            to: recipient,
                            ciphersuite: ciphersuite,
                            authenticating: bytes.span
                        )
                    }
                },
                {
                    try cost {
                        _ = try HPKE.open(
                            box.ciphertext.span,
                            encapsulatedKey: box.encapsulatedKey.span,
                            with: key,
                            ciphersuite: ciphersuite,
                            authenticating: bytes.span
                        ).count
                    }
                },
                { cost { _ = Curve25519.KeyAgreement.PrivateKey() } },
                { try cost { _ = try own.sharedSecretFromKeyAgreement(with: other) } },
            ]
        )
        /// All that is beside the curve may take 15 microseconds.
        func figure(_ what: String, _ value: Double, _ peer: String, _ curve: Double) -> Figure {
            Figure(
                what: what,
                value: value,
                unit: .microseconds,
                peer: (peer, curve),
                goal: .value(atMost: curve + 15_000),
                note: "\(((value - curve) / 1000).text(1)) us beside the curve"
            )
        }
        return [
            figure("HPKE seal, X25519, 64 B", medians[0], "X25519 key and agree", medians[2] + medians[3]),
            figure("HPKE open, X25519, 64 B", medians[1], "X25519 agree", medians[3]),
        ]
    }
}
