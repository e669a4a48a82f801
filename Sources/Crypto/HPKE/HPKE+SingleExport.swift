extension HPKE {
    /// A secret that the holder of a key can export too, and what it needs for that: an encapsulation for one export and
    /// no message (`SendExport…`; RFC 9180, section 6.2).
    public struct Export: ~Copyable, Sendable {
        /// The encapsulated key, of the KEM's size (RFC 9420's `kem_output`).
        public let encapsulatedKey: [UInt8]
        /// The secret.
        public let secret: SecretBytes

        /// Ends with the secret alone.
        public consuming func takeSecret() -> SecretBytes { secret }
    }

    /// Exports a secret to the holder of a key (RFC 9180, section 6.2).
    ///
    /// - Parameters:
    ///   - info: what both sides know of their protocol.
    ///   - context: what the secret is for.
    ///   - outputByteCount: up to 255 times the hash's size; a larger one is a programmer's error.
    ///   - sender: the sender's own key, which the recipient knows.
    ///   - presharedKey: what both know.
    /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a recipient's key of low order.
    public static func sendExport(
        to recipient: PublicKey,
        ciphersuite: Ciphersuite,
        info: Span<UInt8> = Span(),
        context: Span<UInt8>,
        outputByteCount: Int,
        authenticatedBy sender: PrivateKey? = nil,
        presharedKey: PresharedKey? = nil
    ) throws(Errors) -> Export {
        try sendExport(
            to: recipient,
            ciphersuite: ciphersuite,
            info: info,
            context: context,
            outputByteCount: outputByteCount,
            authenticatedBy: sender,
            presharedKey: presharedKey,
            ephemeral: .generate(kem: ciphersuite.kem)
        )
    }

    /// Exports a secret with a given ephemeral key, which must never be used for another.
    ///
    /// - Throws: as `sendExport` does that draws it.
    package static func sendExport(
        to recipient: PublicKey,
        ciphersuite: Ciphersuite,
        info: Span<UInt8> = Span(),
        context: Span<UInt8>,
        outputByteCount: Int,
        authenticatedBy sender: PrivateKey? = nil,
        presharedKey: PresharedKey? = nil,
        ephemeral: PrivateKey
    ) throws(Errors) -> Export {
        let schedule = try KeySchedule(
            to: recipient,
            HashedInfo(info, ciphersuite: ciphersuite),
            ephemeral,
            sender,
            presharedKey
        )
        return Export(
            encapsulatedKey: ephemeral.publicKey.serialized,
            secret: export(schedule.exporterSecret(), ciphersuite, context, outputByteCount)
        )
    }

    /// The secret that was exported with an encapsulated key (RFC 9180, section 6.2).
    ///
    /// - Parameters:
    ///   - encapsulatedKey: what the sender sent.
    ///   - info: what the sender gave as `info`.
    ///   - context: what the secret is for.
    ///   - outputByteCount: up to 255 times the hash's size; a larger one is a programmer's error.
    ///   - sender: the sender's key, when it has one.
    ///   - presharedKey: what both know.
    /// - Throws: `invalidEncapsulatedKey`; `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a sender's key of low
    ///   order.
    public static func receiveExport(
        _ encapsulatedKey: Span<UInt8>,
        with recipient: PrivateKey,
        ciphersuite: Ciphersuite,
        info: Span<UInt8> = Span(),
        context: Span<UInt8>,
        outputByteCount: Int,
        authenticatedBy sender: PublicKey? = nil,
        presharedKey: PresharedKey? = nil
    ) throws(Errors) -> SecretBytes {
        let schedule = try KeySchedule(from: encapsulatedKey, recipient, ciphersuite, info, sender, presharedKey)
        return export(schedule.exporterSecret(), ciphersuite, context, outputByteCount)
    }

    private static func export(
        _ exporter: consuming SecretBytes,
        _ ciphersuite: Ciphersuite,
        _ context: Span<UInt8>,
        _ outputByteCount: Int
    ) -> SecretBytes {
        unsafe exporter.withUnsafeBytes { exporter in
            unsafe context.withUnsafeBytes { unsafe ciphersuite.export(exporter, $0, outputByteCount) }
        }
    }
}
