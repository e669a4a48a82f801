import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamWire

@testable import MildamGroupKey
@testable import MildamTransport

/// What happens for every message, or for every member of a room, so that every instruction of it counts.
enum HotPath: String, CaseIterable {
    case sealSmall = "ChaChaPoly.seal-64B"
    case sealLarge = "AES.GCM.Sealer-64KiB"
    case parseHead = "HTTP-request-head"
    case decodeFrame = "WebSocket-frame-400B"
    case openMessage = "MessageBox-opened-300B"
    case storeSend = "relay-send-400B"
    case clientSend = "client-send-1KiB"
    case protect = "MLS-protect-1KiB"
    case addMany = "MLS-add-99"

    /// How often it is taken for a count that is worth comparing.
    var turns: Int {
        switch self {
        case .sealSmall, .parseHead: 2000
        case .decodeFrame: 4000
        case .sealLarge: 100
        case .openMessage, .clientSend, .protect: 100
        case .storeSend: 500
        case .addMany: 2
        }
    }

    /// Takes it so many times.
    func take(_ turns: Int) throws {
        switch self {
        case .sealSmall: try Self.sealSmall(turns)
        case .sealLarge: try Self.sealLarge(turns)
        case .parseHead: try Self.parseHead(turns)
        case .decodeFrame: try Self.decodeFrame(turns)
        case .openMessage: try Self.openMessage(turns)
        case .storeSend: try StoreSend().take(turns)
        case .clientSend: try ClientSend().send(turns)
        case .protect: try ClientSend().protect(turns)
        case .addMany: try MLSAdd().take(turns)
        }
    }

    // MARK: Crypto

    private static func sealSmall(_ turns: Int) throws {
        let key = SymmetricKey(data: Data(repeating: 1, count: 32))
        let nonce = try ChaChaPoly.Nonce(data: Data(repeating: 2, count: 12))
        let message = Data(repeating: 3, count: 64)
        for _ in 0..<turns { keep(try ChaChaPoly.seal(message, using: key, nonce: nonce).combined.count) }
    }

    private static func sealLarge(_ turns: Int) throws {
        var sealer = try AES.GCM.Sealer(key: SymmetricKey(data: Data(repeating: 1, count: 32)))
        let nonce = try AES.GCM.Nonce(data: Data(repeating: 2, count: 12))
        var message = [UInt8](repeating: 3, count: 65_536)
        for _ in 0..<turns {
            try sealer.seal(inPlace: &message, nonce: nonce)
            message.removeLast(16)
        }
        keep(message.count)
    }

    private static func openMessage(_ turns: Int) throws {
        let signer = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(repeating: 4, count: 32))
        let context = MessageContext(
            room: try RoomID(bytes: fixed(1)),
            generation: 1,
            senderAccount: try AccountID(bytes: fixed(2)),
            senderDevice: try DeviceID(bytes: fixed(3))
        )
        let key = RoomKey(room: context.room, generation: 1, key: SymmetricKey(data: Data(repeating: 5, count: 32)))
        // The box's nonce is drawn; what it is does not change what opening costs.
        let bytes = try MessageBox(
            sealing: [UInt8](repeating: 6, count: 300),
            as: try MessageID(bytes: fixed(4)),
            counter: 1,
            in: context,
            under: key,
            by: signer
        ).wireBytes
        for _ in 0..<turns {
            let box = try MessageBox(wireBytes: bytes)
            keep(try box.opened(in: context, under: key, signedBy: signer.publicKey).count)
        }
    }

    // MARK: Transport

    private static func parseHead(_ turns: Int) throws {
        let head = Array(
            """
            POST /v1/rooms/aeaqcaibaeaqcaibaeaqcaibae/messages HTTP/1.1\r\nHost: relay.example.org\r\n\
            Authorization: Bearer \(String(repeating: "abcdefgh", count: 50))\r\nContent-Type: application/json\r\n\
            Content-Length: 640\r\n\r\n
            """.utf8
        )
        for _ in 0..<turns {
            var parser = HTTPHeadParser(maxHeadBytes: 16_384, maxFields: 100)
            var position = 0
            guard let head = try parser.next(head.span, at: &position) else { throw Unexpected() }
            keep(head.fields.count)
        }
    }

    private static func decodeFrame(_ turns: Int) throws {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 400)
        let frame = WebSocketFrameEncoder.encode(.text, text, mask: [1, 2, 3, 4])
        var decoder = WebSocketFrameDecoder(role: .server, maxFrameBytes: 16_384, maxMessageBytes: 16_384)
        for _ in 0..<turns {
            var position = 0
            guard case .text(let text)? = try decoder.next(frame.span, at: &position) else { throw Unexpected() }
            keep(text.utf8.count)
        }
    }
}

/// A path did not do what it always does.
struct Unexpected: Error {}

/// 16 bytes that are the same in every run.
func fixed(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

/// Makes the compiler believe that a result is used.
@inline(never)
func keep(_ value: Int) {}
