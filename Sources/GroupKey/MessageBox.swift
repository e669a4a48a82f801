import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamWire

/// A sealed message of a room.
///
/// ```
/// struct {
///     uint8 version = 1;
///     opaque message[16];
///     uint64 counter;            // of the sending device in this room, from 1
///     opaque box<28..2^20>;      // ChaChaPoly combined
/// } MessageBox;
/// ```
///
/// The box's authenticated data: label ‖ context ‖ message id ‖ counter. Inside: the sending device's signature over
/// those data and the content (without it, any member could write in another's name), the content, and padding.
///
/// ```
/// struct { opaque signature[64]; opaque content<0..2^20>; opaque zeros[padding]; } Padded;
/// ```
public struct MessageBox: Sendable {
    /// The largest box, in bytes.
    public static let maximumSize = 1 << 20

    /// The id that the sending device chose.
    public let message: MessageID
    /// The sending device's own count of its messages in this room.
    public let counter: UInt64
    private let box: [UInt8]

    /// The encoding's size, in bytes, for content of a size.
    public static func size(sealing count: Int) -> Int {
        let header = 1 + 16 + 8 + 4
        return header + 12 + Padding.paddedSize(of: 64 + 4 + count) + 16
    }

    /// Seals content under a room key.
    ///
    /// - Throws: `malformed` for content that makes the box larger than ``maximumSize``.
    public init(
        sealing content: [UInt8],
        as message: MessageID,
        counter: UInt64,
        in context: MessageContext,
        under key: RoomKey,
        by signer: Curve25519.Signing.PrivateKey
    ) throws(GroupKeyError) {
        guard MessageBox.size(sealing: content.count) <= MessageBox.maximumSize else { throw .malformed }
        self.message = message
        self.counter = counter
        let authenticated = MessageBox.authenticatedData(context, message, counter)
        var padded = WireWriter(capacity: content.count + 256)
        padded.fixed(signer.signature(for: authenticated + content))
        padded.vector(UInt32.self, content)
        let size = Padding.paddedSize(of: padded.bytes.count)
        padded.fixed(repeatElement(0, count: size - padded.bytes.count))
        do {
            box = Array(try ChaChaPoly.seal(padded.bytes, using: key.secretKey, authenticating: authenticated).combined)
        } catch {
            throw .cryptography
        }
    }

    /// Opens the box and checks who wrote it.
    ///
    /// - Parameter signer: the signature key in the verified record of the context's sending device.
    /// - Returns: the content.
    public func opened(
        in context: MessageContext,
        under key: RoomKey,
        signedBy signer: Curve25519.Signing.PublicKey
    ) throws(GroupKeyError) -> [UInt8] {
        let authenticated = MessageBox.authenticatedData(context, message, counter)
        let padded: Data
        do {
            padded = try ChaChaPoly.open(
                ChaChaPoly.SealedBox(combined: box),
                using: key.secretKey,
                authenticating: authenticated
            )
        } catch {
            throw .damaged
        }
        let signature: [UInt8]
        let content: [UInt8]
        do {
            var reader = WireReader(padded.span)
            signature = try reader.fixed(64)
            content = try reader.vector(UInt32.self, in: 0...MessageBox.maximumSize)
            let padding = try reader.fixed(reader.remaining)
            guard padding.allSatisfy({ $0 == 0 }) else { throw WireError.invalidValue(field: "padding") }
        } catch {
            throw .malformed
        }
        guard signer.isValidSignature(signature, for: authenticated + content) else { throw .badSignature }
        return content
    }

    private static func authenticatedData(
        _ context: MessageContext,
        _ message: MessageID,
        _ counter: UInt64
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 128)
        Label("message").encode(into: &writer)
        context.encode(into: &writer)
        message.encode(into: &writer)
        writer.integer(counter)
        return writer.bytes
    }
}

extension MessageBox: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        message.encode(into: &writer)
        writer.integer(counter)
        writer.vector(UInt32.self, box)
    }

    /// Reads the structure; nothing is verified yet.
    public init(from reader: inout WireReader) throws(WireError) {
        guard try reader.integer(UInt8.self) == 1 else { throw .invalidValue(field: "version") }
        message = try MessageID(from: &reader)
        counter = try reader.integer()
        box = try reader.vector(UInt32.self, in: 28...MessageBox.maximumSize)
    }
}
