import FoundationEssentials

extension ECIES {
    /// A sealed message: the ephemeral public key 0x04 ‖ X ‖ Y, the ciphertext, and a tag of 16 bytes, as one piece.
    ///
    /// It is longer than the message by 81 bytes on P-256, 113 on P-384 and 149 on P-521. That it could be read says only
    /// that it has the form: whether it is what somebody sealed, opening it says.
    public struct Packet<Curve: NISTCurve>: Equatable, Sendable {
        /// The packet as it is sent.
        public let combined: Data
        /// The key that the recipient's agrees with: a point of the curve.
        public let ephemeralPublicKey: ECDH<Curve>.PublicKey

        /// How much longer a packet is than its message, in bytes: also the size of the shortest.
        public static var overhead: Int { Curve.domain.uncompressedSize + CipherContext.tagSize }

        /// Reads a packet.
        ///
        /// - Throws: `tooShort`; `tooLong` for a message above `maximumMessageByteCount`; `invalidPoint` when it does
        ///   not begin with a point of this curve in the uncompressed form.
        public init(combined: some DataProtocol) throws(ECIESError) {
            guard combined.count >= Packet.overhead else { throw .tooShort(minimum: Packet.overhead) }
            guard combined.count - Packet.overhead <= maximumMessageByteCount else { throw .tooLong }
            let whole = Data(combined)
            do throws(CryptoKitError) {
                let point = whole.prefix(Curve.domain.uncompressedSize)
                ephemeralPublicKey = try ECDH<Curve>.PublicKey(x963Representation: point)
            } catch {
                throw .invalidPoint
            }
            self.combined = whole
        }

        init(_ combined: Data, _ ephemeralPublicKey: ECDH<Curve>.PublicKey) {
            self.combined = combined
            self.ephemeralPublicKey = ephemeralPublicKey
        }

        /// The ciphertext, as long as the message; a copy that starts at index 0.
        public var ciphertext: Data {
            Data(combined.dropFirst(Curve.domain.uncompressedSize).dropLast(CipherContext.tagSize))
        }

        /// The tag of 16 bytes; a copy that starts at index 0.
        public var tag: Data { Data(combined.suffix(CipherContext.tagSize)) }

        /// The size of the message in bytes.
        public var messageByteCount: Int { combined.count - Packet.overhead }
    }
}
