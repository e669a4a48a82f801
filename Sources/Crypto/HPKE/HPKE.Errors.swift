extension HPKE {
    /// Why something was not encapsulated, sealed, opened or read. The cases that CryptoKit has too have its names.
    public enum Errors: Error, Equatable, Sendable {
        /// A key is of another KEM than the ciphersuite.
        case inconsistentCiphersuiteAndKey
        /// The ciphersuite only exports secrets; it has no AEAD to seal with.
        case exportOnlyMode
        /// A pre-shared key without an identifier, or an identifier without a key.
        case inconsistentPSKInputs
        /// Neither a pre-shared key nor an identifier, where both are asked for.
        case expectedPSK
        /// A pre-shared key below 32 bytes (RFC 9180, section 9.5).
        case tooShortPSK
        /// As many messages were sealed or opened as one encapsulation is for: 2⁶⁴ − 1.
        case outOfRangeSequenceNumber
        /// Fewer bytes than a tag has, which is 16.
        case ciphertextTooShort
        /// A public key of another size than its KEM's, which is no point of the curve, or which has a low order.
        case invalidPublicKey
        /// A private key of another size than its KEM's, or a scalar that is zero, or the group's order and above.
        case invalidPrivateKey
        /// An encapsulated key of another size than the KEM's, which is no point of the curve, or which has a low order.
        case invalidEncapsulatedKey
        /// No candidate of 256 was a private key (`DeriveKeyPairError`); of P-256, that is one case in 2⁸¹⁹².
        case noKeyDerived
        /// The tag is not that of the message: another key, other authenticated data, another place in the sequence, or
        /// a message that was changed. Nothing was released.
        case authenticationFailure
        /// The cryptographic library refused.
        case cryptography(CryptoKitError)
    }
}

extension HPKE.Errors: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .inconsistentCiphersuiteAndKey: "the key is not of the ciphersuite's KEM"
        case .exportOnlyMode: "this ciphersuite only exports secrets: it seals and opens no messages"
        case .inconsistentPSKInputs: "a pre-shared key and its identifier go together: one of them is empty"
        case .expectedPSK: "a pre-shared key and its identifier are needed: both are empty"
        case .tooShortPSK: "a pre-shared key has \(HPKE.PresharedKey.minimumByteCount) bytes or more"
        case .outOfRangeSequenceNumber: "one encapsulation is for no more messages: begin a new one"
        case .ciphertextTooShort: "this is no sealed message: it has fewer bytes than its tag would have"
        case .invalidPublicKey: "this is no public key of the KEM"
        case .invalidPrivateKey: "this is no private key of the KEM"
        case .invalidEncapsulatedKey: "this is no encapsulated key of the KEM, or it is damaged"
        case .noKeyDerived: "no private key could be derived"
        case .authenticationFailure:
            "the message was sealed to another key, with other data or in another place, or it is damaged"
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        }
    }
}
