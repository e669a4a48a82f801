import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamWire

/// A room key on its way to one device, signed by the device that sends it.
///
/// ```
/// struct {
///     uint8 version = 1;
///     opaque room[16];
///     uint32 generation;
///     opaque sender_account[16];
///     opaque sender_device[16];
///     opaque sender_handle<3..32>;
///     opaque recipient_account[16];
///     opaque recipient_device[16];
///     opaque salt[32];
///     opaque box<28..65535>;      // ChaChaPoly combined: nonce, ciphertext, tag
///     opaque signature[64];       // Ed25519 over label and all the fields before
/// } KeyEnvelope;
/// ```
///
/// The box's key is X25519(sender static, recipient static) → HKDF-SHA256(salt, label ‖ both public keys ‖ room ‖ generation);
/// its authenticated data are the fields before it.
public struct KeyEnvelope: Sendable {
    /// The largest encoding, in bytes.
    public static let maximumSize = 65_535 + 300

    /// The fields before the box.
    public let header: Header
    private let box: [UInt8]
    private let signature: [UInt8]

    /// Who sends what to whom, in clear.
    public struct Header: Sendable, WireEncodable {
        /// The room the key is for.
        public let room: RoomID
        /// The key's generation.
        public let generation: UInt32
        /// The account that sends it.
        public let senderAccount: AccountID
        /// The device that sends and signs it.
        public let senderDevice: DeviceID
        /// The sender's handle, to look its records up by; believed only once they are.
        public let senderHandle: Handle
        /// The account it is for.
        public let recipientAccount: AccountID
        /// The device it is for.
        public let recipientDevice: DeviceID
        /// 32 random bytes, fresh for each envelope.
        let salt: [UInt8]

        /// Appends the fields.
        public func encode(into writer: inout WireWriter) {
            writer.integer(UInt8(1))
            room.encode(into: &writer)
            writer.integer(generation)
            senderAccount.encode(into: &writer)
            senderDevice.encode(into: &writer)
            senderHandle.encode(into: &writer)
            recipientAccount.encode(into: &writer)
            recipientDevice.encode(into: &writer)
            writer.fixed(salt)
        }
    }

    /// Wraps an invitation for one device.
    ///
    /// - Parameters:
    ///   - sender: this device's account and keys.
    ///   - recipient: the verified record of the device that shall open it.
    /// - Throws: `malformed` for an invitation beyond its bounds, which no recipient would take.
    public init(
        _ invitation: RoomInvitation,
        from sender: AccountRecord,
        keys: DeviceKeys,
        to recipient: DeviceRecord
    ) throws(GroupKeyError) {
        guard invitation.isWithinBounds else { throw .malformed }
        let key = invitation.key
        let header = Header(
            room: key.room,
            generation: key.generation,
            senderAccount: sender.account,
            senderDevice: keys.device,
            senderHandle: sender.handle,
            recipientAccount: recipient.account,
            recipientDevice: recipient.device,
            salt: SecureRandom.bytes(count: 32)
        )
        do {
            let wrapping = try KeyEnvelope.wrappingKey(
                header,
                secret: keys.agreement.sharedSecretFromKeyAgreement(with: recipient.agreementKey),
                sender: keys.agreement.publicKey,
                recipient: recipient.agreementKey
            )
            self.header = header
            box = try unsafe invitation.secretContent.withUnsafeBytes { content in
                Array(try unsafe ChaChaPoly.seal(content, using: wrapping, authenticating: header.wireBytes).combined)
            }
        } catch {
            throw .cryptography
        }
        signature = Array(keys.signing.signature(for: KeyEnvelope.signedBytes(header, box)))
    }

    /// Opens the envelope with this device's keys.
    ///
    /// - Parameters:
    ///   - sender: the verified record of the device that claims to have sent it.
    ///   - account: this device's account.
    public func opened(
        from sender: DeviceRecord,
        to account: AccountID,
        keys: DeviceKeys
    ) throws(GroupKeyError) -> RoomInvitation {
        guard header.senderAccount == sender.account, header.senderDevice == sender.device,
            header.recipientAccount == account, header.recipientDevice == keys.device
        else { throw .notForUs }
        guard sender.signatureKey.isValidSignature(signature, for: KeyEnvelope.signedBytes(header, box)) else {
            throw .badSignature
        }
        var content: Data
        do {
            let wrapping = try KeyEnvelope.wrappingKey(
                header,
                secret: keys.agreement.sharedSecretFromKeyAgreement(with: sender.agreementKey),
                sender: sender.agreementKey,
                recipient: keys.agreement.publicKey
            )
            content = try ChaChaPoly.open(
                ChaChaPoly.SealedBox(combined: box),
                using: wrapping,
                authenticating: header.wireBytes
            )
        } catch {
            throw .damaged
        }
        defer { content.wipe() }
        return try RoomInvitation(secretContent: content, room: header.room, generation: header.generation)
    }

    private static func wrappingKey(
        _ header: Header,
        secret: SharedSecret,
        sender: Curve25519.KeyAgreement.PublicKey,
        recipient: Curve25519.KeyAgreement.PublicKey
    ) -> SymmetricKey {
        var info = WireWriter()
        Label("room key").encode(into: &info)
        info.fixed(sender.rawRepresentation)
        info.fixed(recipient.rawRepresentation)
        header.room.encode(into: &info)
        info.integer(header.generation)
        return secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: header.salt,
            sharedInfo: info.bytes,
            outputByteCount: 32
        )
    }

    private static func signedBytes(_ header: Header, _ box: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        Label("key envelope").encode(into: &writer)
        header.encode(into: &writer)
        writer.vector(UInt16.self, box)
        return writer.bytes
    }
}

extension KeyEnvelope: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        header.encode(into: &writer)
        writer.vector(UInt16.self, box)
        writer.fixed(signature)
    }

    /// Reads the structure; nothing is verified yet.
    public init(from reader: inout WireReader) throws(WireError) {
        guard try reader.integer(UInt8.self) == 1 else { throw .invalidValue(field: "version") }
        header = Header(
            room: try RoomID(from: &reader),
            generation: try reader.integer(),
            senderAccount: try AccountID(from: &reader),
            senderDevice: try DeviceID(from: &reader),
            senderHandle: try Handle(from: &reader),
            recipientAccount: try AccountID(from: &reader),
            recipientDevice: try DeviceID(from: &reader),
            salt: try reader.fixed(32)
        )
        box = try reader.vector(UInt16.self, in: 28...65_535)
        signature = try reader.fixed(64)
    }
}
