import FoundationEssentials

extension HPKE.PrivateKey {
    /// The key that follows from a secret (`DeriveKeyPair`; RFC 9180, section 7.1.3): the same for the same secret.
    ///
    /// - Parameter inputKeyMaterial: of as much entropy as the key is to have; `kem.privateKeyByteCount` bytes are best.
    ///   Used for nothing else.
    /// - Throws: `noKeyDerived`, which never happens by chance.
    public init(deriving inputKeyMaterial: some ContiguousBytes, kem: HPKE.KEM) throws(HPKE.Errors) {
        self = try unsafe inputKeyMaterial.withUnsafeBytes { input in
            Result { () throws(HPKE.Errors) in try unsafe HPKE.PrivateKey(kem, deriving: input) }
        }.get()
    }

    /// The key that follows from a secret (`DeriveKeyPair`; RFC 9180, section 7.1.3): the same for the same secret.
    ///
    /// - Parameter inputKeyMaterial: of as much entropy as the key is to have; `kem.privateKeyByteCount` bytes are best.
    ///   Used for nothing else.
    /// - Throws: `noKeyDerived`, which never happens by chance.
    public init(deriving inputKeyMaterial: Span<UInt8>, kem: HPKE.KEM) throws(HPKE.Errors) {
        self = try unsafe inputKeyMaterial.withUnsafeBytes { (input) throws(HPKE.Errors) in
            try unsafe HPKE.PrivateKey(kem, deriving: input)
        }
    }

    private init(_ kem: HPKE.KEM, deriving input: UnsafeRawBufferPointer) throws(HPKE.Errors) {
        let kdf = kem.labeledKDF
        let run = kdf.run()
        let pseudoRandomKey = unsafe SecretBytes(count: kdf.algorithm.size) { key in
            unsafe run.extract(salt: nil, "dkp_prk", input, into: key)
        }
        unsafe pseudoRandomKey.withUnsafeBytes { unsafe run.use($0) }
        switch kem.group {
        case .nist(let domain): self = try HPKE.PrivateKey.firstCandidate(kem, domain, run)
        case .curve25519: self.init(Curve25519.KeyAgreement.PrivateKey(HPKE.PrivateKey.bytes(kem, run)))
        case .curve448: self.init(Curve448.KeyAgreement.PrivateKey(HPKE.PrivateKey.bytes(kem, run)))
        }
    }

    /// The bytes of a key whose every value is one.
    private static func bytes(_ kem: HPKE.KEM, _ run: borrowing HPKE.LabeledKDF.Run) -> SecretBytes {
        let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        return unsafe SecretBytes(count: kem.privateKeyByteCount) { unsafe run.expand("sk", none, into: $0) }
    }

    /// The first of 256 candidates that is a scalar of the curve.
    private static func firstCandidate(
        _ kem: HPKE.KEM,
        _ domain: CurveDomain,
        _ run: borrowing HPKE.LabeledKDF.Run
    ) throws(HPKE.Errors) -> HPKE.PrivateKey {
        for counter in UInt8.min...UInt8.max {
            let candidate = unsafe SecretBytes(count: kem.privateKeyByteCount) { candidate in
                unsafe Swift.withUnsafeBytes(of: counter) { unsafe run.expand("candidate", $0, into: candidate) }
                unsafe candidate[0] &= domain.firstByteMask
            }
            if let key = try? HPKE.PrivateKey(kem, candidate) { return key }
        }
        throw .noKeyDerived
    }
}
