import FoundationEssentials

/// Messages to the holder of a private key (SEC 1, section 5.1), byte for byte as Apple's `SecKeyCreateEncryptedData`
/// writes them and `SecKeyCreateDecryptedData` reads them.
///
/// Each message has a key of its own: an ephemeral key is drawn, agrees with the recipient's on a secret (ECDH), and the
/// KDF of X9.63 makes of it, with the ephemeral public key as shared information, an AES key: of 16 bytes on P-256, of
/// 32 on P-384 and P-521. AES-GCM with an IV of 16 bytes seals the message; nothing is authenticated beside it. What is
/// sent is an ``ECIES/Packet``.
///
/// | `SecKeyAlgorithm` | here |
/// |---|---|
/// | `eciesEncryptionStandardX963SHA…AESGCM` | ``ECIES/Parameters`` with that hash, and the IV `.zero` |
/// | `eciesEncryptionStandardVariableIVX963SHA…AESGCM` | with that hash, and the IV `.derived` |
/// | `eciesEncryptionCofactor…` | the same: the cofactor of these curves is 1 |
///
/// A packet says nothing of who made it, and does not say its curve, hash and IV: both sides must know these.
public enum ECIES {
    /// The most bytes that a message may have, since it is held in memory whole: 64 MiB (67,108,864 bytes).
    public static let maximumMessageByteCount = 1 << 26
}

extension ECIES {
    /// Seals a message to the holder of a key.
    ///
    /// - Throws: `tooLong` above `maximumMessageByteCount`; `cryptography` when libcrypto refuses.
    public static func seal<Curve: NISTCurve>(
        _ message: Span<UInt8>,
        to recipient: ECDH<Curve>.PublicKey,
        parameters: Parameters = Parameters()
    ) throws(ECIESError) -> Packet<Curve> {
        try seal(message, to: recipient, parameters: parameters, ephemeral: ECDH<Curve>.PrivateKey())
    }

    /// Seals a message to the holder of a key.
    ///
    /// - Throws: `tooLong` above `maximumMessageByteCount`; `cryptography` when libcrypto refuses.
    public static func seal<Curve: NISTCurve>(
        _ message: some DataProtocol,
        to recipient: ECDH<Curve>.PublicKey,
        parameters: Parameters = Parameters()
    ) throws(ECIESError) -> Packet<Curve> {
        guard message.count <= maximumMessageByteCount else { throw .tooLong }
        return try unsafe message.withContiguousBytes { message in
            Result { () throws(ECIESError) in
                try unsafe seal(message.bindMemory(to: UInt8.self).span, to: recipient, parameters: parameters)
            }
        }.get()
    }

    /// The message of a packet, opened with a key that lies in memory.
    ///
    /// - Throws: `authenticationFailure` for another key than the packet was sealed to, other parameters, or a packet
    ///   that was changed; `cryptography` when libcrypto refuses.
    public static func open<Curve: NISTCurve>(
        _ packet: Packet<Curve>,
        with key: ECDH<Curve>.PrivateKey,
        parameters: Parameters = Parameters()
    ) throws(ECIESError) -> SecretBytes {
        try open(packet, sharedSecret: agree(key, packet.ephemeralPublicKey), parameters: parameters)
    }

    /// The message of a packet, opened through a key that may lie elsewhere: all it does is agree on a secret with the
    /// packet's ephemeral key.
    ///
    /// - Throws: what the key throws; an `ECIESError` as for a key in memory, and `incorrectSharedSecretSize` when the
    ///   key gives no x-coordinate of its curve.
    public static func open<Key: KeyAgreeing>(
        _ packet: Packet<Key.Curve>,
        through key: Key,
        parameters: Parameters = Parameters()
    ) async throws -> SecretBytes {
        let secret = try await key.sharedSecretFromKeyAgreement(with: packet.ephemeralPublicKey)
        return try open(packet, sharedSecret: secret, parameters: parameters)
    }

    /// The message of a packet, opened with what the recipient's key and `packet.ephemeralPublicKey` agreed on.
    ///
    /// - Parameter sharedSecret: the x-coordinate, of as many bytes as the curve's coordinates have.
    /// - Throws: `incorrectSharedSecretSize`; `authenticationFailure` for another secret than the packet was sealed
    ///   with, other parameters, or a packet that was changed.
    public static func open<Curve: NISTCurve>(
        _ packet: Packet<Curve>,
        sharedSecret: SharedSecret,
        parameters: Parameters = Parameters()
    ) throws(ECIESError) -> SecretBytes {
        let size = Curve.domain.size
        guard sharedSecret.byteCount == size else { throw .incorrectSharedSecretSize(expected: size) }
        let point = packet.ephemeralPublicKey.x963Representation
        let cipher = MessageCipher(Curve.domain, sharedSecret, point, parameters)
        return try unsafe SecretBytes(count: packet.messageByteCount) { (message) throws(ECIESError) in
            let opened = unsafe packet.combined.withUnsafeBytes { packet in
                unsafe cipher.open(UnsafeRawBufferPointer(rebasing: packet[point.count...]), to: message)
            }
            guard opened else { throw .authenticationFailure }
        }
    }

    /// Seals with a given ephemeral key, which must never seal a second message.
    static func seal<Curve: NISTCurve>(
        _ message: Span<UInt8>,
        to recipient: ECDH<Curve>.PublicKey,
        parameters: Parameters,
        ephemeral: ECDH<Curve>.PrivateKey
    ) throws(ECIESError) -> Packet<Curve> {
        guard message.count <= maximumMessageByteCount else { throw .tooLong }
        let sharedSecret = try agree(ephemeral, recipient)
        let point = ephemeral.publicKey.x963Representation
        let cipher = MessageCipher(Curve.domain, sharedSecret, point, parameters)
        let size = point.count + message.count + CipherContext.tagSize
        do throws(CryptoKitError) {
            let combined = try unsafe Data.filled(size) { combined in
                unsafe combined.copyBytes(from: point)
                let sealed = unsafe message.withUnsafeBytes { message in
                    unsafe cipher.seal(message, to: UnsafeMutableRawBufferPointer(rebasing: combined[point.count...]))
                }
                return sealed ? nil : LibCrypto.lastError()
            }
            return Packet(combined, ephemeral.publicKey)
        } catch {
            throw .cryptography(error)
        }
    }

    private static func agree<Curve: NISTCurve>(
        _ own: ECDH<Curve>.PrivateKey,
        _ other: ECDH<Curve>.PublicKey
    ) throws(ECIESError) -> SharedSecret {
        do throws(CryptoKitError) {
            return try own.sharedSecretFromKeyAgreement(with: other)
        } catch {
            throw .cryptography(error)
        }
    }
}
