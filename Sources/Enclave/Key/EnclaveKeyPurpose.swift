/// What a key is for. One key does one thing: a signature can then never stand in for a decryption.
public enum EnclaveKeyPurpose: Sendable, Hashable, CaseIterable {
    /// ECDH: shared secrets.
    case keyAgreement
    /// ECDSA: signatures of SHA-256 digests.
    case signing
}
