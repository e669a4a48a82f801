import FoundationEssentials

extension ECDSA.PublicKey {
    /// The SubjectPublicKeyInfo in DER (RFC 5480, section 2): 91, 120 or 158 bytes.
    public var derRepresentation: Data { key.subjectPublicKeyInfo }
}
