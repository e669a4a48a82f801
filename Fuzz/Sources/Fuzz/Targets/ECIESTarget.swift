import FoundationEssentials
import MildamWire

@testable import MildamCrypto

extension FuzzTarget {
    /// ECIES packets. The first byte says what is done: a packet as it comes, of one of the three curves, or a genuine
    /// one with changes.
    static let eciesPacket = FuzzTarget(
        name: "ecies-packet",
        source: .file,
        seeds: {
            [
                [0] + p256.packet.combined, [1] + p384.packet.combined, [2] + p521.packet.combined, [3, 0, 70, 1],
                [4, 0, 2, 9],
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: read(rest, p256)
            case 1: read(rest, p384)
            case 2: read(rest, p521)
            case 3: read(change(Array(p256.packet.combined), as: rest), p256)
            default: read(change(Array(p384.packet.combined), as: rest), p384)
            }
        }
    )

    private static let p256 = Genuine<P256>()
    private static let p384 = Genuine<P384>()
    private static let p521 = Genuine<P521>()

    private static func read<Curve: NISTCurve>(_ input: [UInt8], _ genuine: Genuine<Curve>) {
        guard let packet = try? ECIES.Packet<Curve>(combined: input) else { return }
        planted(packet.messageByteCount > genuine.message.count + 2)
        let point = packet.ephemeralPublicKey.x963Representation
        mustHold(packet.combined.elementsEqual(input), "a packet that is written is what was read")
        mustHold(
            (point + packet.ciphertext + packet.tag).elementsEqual(input) && packet.tag.count == 16
                && packet.ciphertext.count == packet.messageByteCount,
            "a packet is its parts"
        )
        guard let opened = try? ECIES.open(packet, with: genuine.key) else {
            mustHold(packet != genuine.packet, "what was sealed opens")
            return
        }
        mustHold(packet == genuine.packet, "only what was sealed opens")
        mustHold(unsafe opened.withUnsafeBytes { unsafe $0.elementsEqual(genuine.message) }, "it is what was sealed")
    }
}

/// A packet that is the same in every run, and the key that opens it.
private struct Genuine<Curve: NISTCurve>: Sendable {
    let message = Array("a message".utf8)
    let packet: ECIES.Packet<Curve>
    let key: ECDH<Curve>.PrivateKey

    init() {
        let size = Curve.domain.size
        let (key, ephemeral) = must { () throws(CryptoKitError) in
            (
                try ECDH<Curve>.PrivateKey(rawRepresentation: [0] + [UInt8](repeating: 1, count: size - 1)),
                try ECDH<Curve>.PrivateKey(rawRepresentation: [0] + [UInt8](repeating: 2, count: size - 1))
            )
        }
        let message = message
        packet = must { () throws(ECIESError) in
            try ECIES.seal(message.span, to: key.publicKey, parameters: .init(), ephemeral: ephemeral)
        }
        self.key = key
    }
}
