import CLibCrypto
import FoundationEssentials

extension ECDSA {
    /// A signature: the numbers r and s.
    public struct ECDSASignature: Equatable, Sendable {
        /// r ‖ s, 32, 48 or 66 bytes each (IEEE P1363's form, and JOSE's).
        public let rawRepresentation: Data
        /// SEQUENCE { r INTEGER, s INTEGER } in DER (RFC 3279, section 2.2.3): up to 72, 104 or 139 bytes.
        public let derRepresentation: Data

        /// A signature from r ‖ s: 64, 96 or 132 bytes.
        ///
        /// - Throws: `incorrectParameterSize`.
        public init(rawRepresentation: some DataProtocol) throws(CryptoKitError) {
            guard rawRepresentation.count == 2 * Curve.domain.size else { throw .incorrectParameterSize }
            self.rawRepresentation = Data(rawRepresentation)
            derRepresentation = try ECDSASignature.der(Array(rawRepresentation))
        }

        /// A signature from DER, in its one right encoding.
        ///
        /// - Throws: `invalidParameter` for any other encoding, trailing bytes, or numbers that have more bytes than
        ///   a coordinate.
        public init(derRepresentation: some DataProtocol) throws(CryptoKitError) {
            let der = Array(derRepresentation)
            rawRepresentation = try ECDSASignature.raw(der)
            self.derRepresentation = Data(der)
            // libcrypto's decoder takes some of BER; what it reads must be what it would write.
            guard try ECDSASignature.der(Array(rawRepresentation)) == self.derRepresentation else {
                throw .invalidParameter
            }
        }

        private static func raw(_ der: [UInt8]) throws(CryptoKitError) -> Data {
            var raw = Data(count: 2 * Curve.domain.size)
            let size = Int32(Curve.domain.size)
            let decoded = unsafe der.withUnsafeBytes { der in
                var position = unsafe der.octets
                guard let signature = unsafe d2i_ECDSA_SIG(nil, &position, der.count) else { return false }
                defer { unsafe ECDSA_SIG_free(signature) }
                return unsafe raw.withUnsafeMutableBytes { raw in
                    let half = unsafe UnsafeMutableRawBufferPointer(rebasing: raw[Curve.domain.size...])
                    return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw.octets, size) == size
                        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), half.octets, size) == size
                }
            }
            guard decoded else {
                _ = LibCrypto.lastError()
                throw .invalidParameter
            }
            return raw
        }

        private static func der(_ raw: [UInt8]) throws(CryptoKitError) -> Data {
            guard let signature = unsafe ECDSA_SIG_new() else { LibCrypto.unavailable("an ECDSA signature") }
            defer { unsafe ECDSA_SIG_free(signature) }
            var encoding: UnsafeMutablePointer<UInt8>?
            let size = unsafe raw.withUnsafeBytes { raw in
                let (first, second) = unsafe (raw.octets, raw.octets.map { unsafe $0 + Curve.domain.size })
                let r = unsafe BN_bin2bn(first, Int32(Curve.domain.size), nil)
                let s = unsafe BN_bin2bn(second, Int32(Curve.domain.size), nil)
                guard unsafe r != nil, unsafe s != nil, unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
                    LibCrypto.unavailable("an ECDSA signature")
                }
                return unsafe i2d_ECDSA_SIG(signature, &encoding)
            }
            guard size > 0, let start = unsafe encoding else { throw LibCrypto.lastError() }
            defer { unsafe CRYPTO_free(start, #file, #line) }
            return unsafe Data(bytes: start, count: Int(size))
        }
    }
}
