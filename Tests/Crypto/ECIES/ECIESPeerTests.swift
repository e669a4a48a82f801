import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

/// The peer first shows on Apple's packets that it knows their format: so what it opens here, Apple's systems open. None
/// of those packets has the form P-256, SHA-256 and zero IV; this is where that form is tried.
@Suite(
    "ECIES: another implementation",
    .enabled(if: PythonPeer.isExpected),
    .enabled(if: Vectors.areExpected)
)
struct ECIESPeerTests {
    private let peer = PythonPeer("Tests/Crypto/ECIES/ecies.py")

    private struct Packet: Encodable {
        let curve, hash: String
        let variable_iv: Bool
        let private_key_hex, ciphertext_hex: String
    }

    private struct OpenRequest: Encodable {
        let known: [ECIESVector]
        var packets: [Packet] = []
    }

    @Test func pythonOpensWhatSwiftSealed() throws {
        var request = OpenRequest(known: try ECIESVector.read())
        var messages: [String] = []
        for parameters in ECIESTests.forms {
            for curve in NISTCurveTests.curves {
                for size in [0, 5, 1000] {
                    let message = SecureRandom.bytes(count: size)
                    request.packets.append(try seal(message, curve, parameters))
                    messages.append(Hex.encode(message))
                }
            }
        }
        #expect(messages.count == 4 * 2 * 3 * 3)
        let answer: [String: [String]] = try peer.run("open", request)
        #expect(answer["messages"] == messages)
    }

    private func seal<Curve: NISTCurve>(
        _ message: [UInt8],
        _: Curve.Type,
        _ parameters: ECIES.Parameters
    ) throws -> Packet {
        let key = ECDH<Curve>.PrivateKey()
        return Packet(
            curve: Curve.secName,
            hash: parameters.hash.name,
            variable_iv: parameters.iv == .derived,
            private_key_hex: Hex.encode(key.rawRepresentation),
            ciphertext_hex: Hex.encode(try ECIES.seal(message, to: key.publicKey, parameters: parameters).combined)
        )
    }

    private struct Message: Encodable {
        let curve, hash: String
        let variable_iv: Bool
        let public_key_hex, message_hex: String
    }

    @Test(arguments: NISTCurveTests.curves) func swiftOpensWhatPythonSealed(curve: any NISTCurve.Type) throws {
        try open(curve)
    }

    private func open<Curve: NISTCurve>(_: Curve.Type) throws {
        let key = ECDH<Curve>.PrivateKey()
        let messages = ECIESTests.forms.map { _ in SecureRandom.bytes(count: 100) }
        let request = zip(ECIESTests.forms, messages).map { parameters, message in
            Message(
                curve: Curve.secName,
                hash: parameters.hash.name,
                variable_iv: parameters.iv == .derived,
                public_key_hex: Hex.encode(key.publicKey.x963Representation),
                message_hex: Hex.encode(message)
            )
        }
        let answer: [String: [String]] = try peer.run("seal", ["messages": request])
        let packets = try #require(answer["packets"])
        try #require(packets.count == messages.count)
        for (index, parameters) in ECIESTests.forms.enumerated() {
            let packet = try ECIES.Packet<Curve>(combined: bytes(packets[index]))
            #expect(try exposed(ECIES.open(packet, with: key, parameters: parameters)) == messages[index])
        }
    }
}
