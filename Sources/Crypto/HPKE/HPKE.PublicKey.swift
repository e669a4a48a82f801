import FoundationEssentials

extension HPKE {
    /// A public key of a KEM that is known at run time only.
    public struct PublicKey: Hashable, Sendable {
        /// The KEM that it is a key of.
        public let kem: KEM
        /// The key as it is sent (`SerializePublicKey`): 0x04 ‖ X ‖ Y of 65, 97 or 133 bytes, or a u-coordinate of 32
        /// or 56.
        public let serialized: [UInt8]
        let point: Point

        /// The key as its curve has it.
        enum Point: Sendable {
            case nist(ECKey)
            case curve25519(Curve25519.KeyAgreement.PublicKey)
            case curve448(Curve448.KeyAgreement.PublicKey)

            init(_ kem: KEM, _ bytes: [UInt8]) throws(CryptoKitError) {
                switch kem.group {
                case .nist(let domain): self = .nist(try ECKey(domain, point: bytes.span))
                case .curve25519: self = .curve25519(try .init(rawRepresentation: bytes))
                case .curve448: self = .curve448(try .init(rawRepresentation: bytes))
                }
            }
        }

        /// A key as it was sent (`DeserializePublicKey`). On X25519 and X448 a key of low order is refused when it is
        /// used.
        ///
        /// - Throws: `invalidPublicKey` for another size than the KEM's keys have, and for what is no point of a curve
        ///   of NIST.
        public init(kem: KEM, serialized: some ContiguousBytes) throws(Errors) {
            self = try unsafe serialized.withUnsafeBytes { serialized in
                Result { () throws(Errors) in
                    try unsafe PublicKey(kem, serialized.bindMemory(to: UInt8.self).span, else: .invalidPublicKey)
                }
            }.get()
        }

        /// A key as it was sent (`DeserializePublicKey`). On X25519 and X448 a key of low order is refused when it is
        /// used.
        ///
        /// - Throws: `invalidPublicKey` for another size than the KEM's keys have, and for what is no point of a curve
        ///   of NIST.
        public init(kem: KEM, serialized: Span<UInt8>) throws(Errors) {
            try self.init(kem, serialized, else: .invalidPublicKey)
        }

        /// A key as it was sent, or `failure`.
        init(_ kem: KEM, _ serialized: Span<UInt8>, else failure: Errors) throws(Errors) {
            guard serialized.count == kem.publicKeyByteCount else { throw failure }
            let bytes = unsafe serialized.withUnsafeBytes { unsafe [UInt8]($0) }
            do throws(CryptoKitError) {
                self.init(kem, bytes, try Point(kem, bytes))
            } catch {
                throw failure
            }
        }

        init(_ kem: KEM, _ serialized: [UInt8], _ point: Point) {
            self.kem = kem
            self.serialized = serialized
            self.point = point
        }

        /// Whether both are the same key of the same KEM.
        public static func == (left: PublicKey, right: PublicKey) -> Bool {
            left.kem == right.kem && left.serialized == right.serialized
        }

        /// Feeds the KEM and the key to the hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(kem)
            hasher.combine(serialized)
        }
    }
}
