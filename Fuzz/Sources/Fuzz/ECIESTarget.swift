import FoundationEssentials
import MildamWire

@testable import MildamCrypto

extension FuzzTarget {
    /// ECIES packets. The first byte says what is done: a packet as it comes, of one of the three curves, or a genuine
    /// one with changes.
    static let eciesPacket = FuzzTarget(
        name: "ecies-packet",
        seeds: {
            [
                [0] + genuine(P256.self).packet.combined, [1] + genuine(P384.self).packet.combined,
                [2] + genuine(P521.self).packet.combined, [3, 0, 70, 1], [4, 0, 2, 9],
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: read(rest, P256.self)
            case 1: read(rest, P384.self)
            case 2: read(rest, P521.self)
            case 3: read(change(Array(genuine(P256.self).packet.combined), as: rest), P256.self)
            default: read(change(Array(genuine(P384.self).packet.combined), as: rest), P384.self)
            }
        }
    )

    private static let message = Array("a message".utf8)

    /// A packet that is the same in every run, and the key that opens it.
    private static func genuine<Curve: NISTCurve>(
        _: Curve.Type
    ) -> (packet: ECIES.Packet<Curve>, key: ECDH<Curve>.PrivateKey) {
        let size = Curve.domain.size
        let (key, ephemeral) = must { () throws(CryptoKitError) in
            (
                try ECDH<Curve>.PrivateKey(rawRepresentation: [0] + [UInt8](repeating: 1, count: size - 1)),
                try ECDH<Curve>.PrivateKey(rawRepresentation: [0] + [UInt8](repeating: 2, count: size - 1))
            )
        }
        let packet = must { () throws(ECIESError) in
            try ECIES.seal(message.span, to: key.publicKey, parameters: .init(), ephemeral: ephemeral)
        }
        return (packet, key)
    }

    private static func read<Curve: NISTCurve>(_ input: [UInt8], _: Curve.Type) {
        guard let packet = try? ECIES.Packet<Curve>(combined: input) else { return }
        planted(packet.messageByteCount == 3)
        let point = packet.ephemeralPublicKey.x963Representation
        mustHold(packet.combined.elementsEqual(input), "a packet that is written is what was read")
        mustHold(
            (point + packet.ciphertext + packet.tag).elementsEqual(input) && packet.tag.count == 16
                && packet.ciphertext.count == packet.messageByteCount,
            "a packet is its parts"
        )
        let (genuine, key) = genuine(Curve.self)
        guard let opened = try? ECIES.open(packet, with: key) else {
            mustHold(packet != genuine, "what was sealed opens")
            return
        }
        mustHold(packet == genuine, "only what was sealed opens")
        mustHold(unsafe opened.withUnsafeBytes { unsafe $0.elementsEqual(message) }, "it is what was sealed")
    }
}
