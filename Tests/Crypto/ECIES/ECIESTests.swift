import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("ECIES: round trips, damage and limits")
struct ECIESTests {
    /// Every combination of hash and IV.
    static let forms = ECIES.Hash.allCases.flatMap { hash in
        ECIES.IV.allCases.map { ECIES.Parameters(hash: hash, iv: $0) }
    }
    private let message = Array("a refresh token".utf8)

    @Test(arguments: NISTCurveTests.curves, forms)
    func aSealedMessageOpens(curve: any NISTCurve.Type, parameters: ECIES.Parameters) throws {
        try roundTrip(curve, parameters)
    }

    private func roundTrip<Curve: NISTCurve>(_: Curve.Type, _ parameters: ECIES.Parameters) throws {
        let key = ECDH<Curve>.PrivateKey()
        for size in [0, 1, 15, 16, 17, 1000] {
            let message = SecureRandom.bytes(count: size)
            let packet = try ECIES.seal(message, to: key.publicKey, parameters: parameters)
            #expect(packet.combined.count == ECIES.Packet<Curve>.overhead + size)
            #expect(packet.messageByteCount == size && packet.ciphertext.count == size && packet.tag.count == 16)
            #expect(
                packet.combined == packet.ephemeralPublicKey.x963Representation + packet.ciphertext + packet.tag
            )
            let read = try ECIES.Packet<Curve>(combined: packet.combined)
            #expect(read == packet && read.ephemeralPublicKey == packet.ephemeralPublicKey)
            #expect(try exposed(ECIES.open(read, with: key, parameters: parameters)) == message)
        }
    }

    @Test func theSizesAreTheFormats() {
        #expect(ECIES.Packet<P256>.overhead == 81)
        #expect(ECIES.Packet<P384>.overhead == 113)
        #expect(ECIES.Packet<P521>.overhead == 149)
    }

    @Test func theDefaultIsTheFirstForm() {
        #expect(ECIES.Parameters() == ECIES.Parameters(hash: .sha256, iv: .zero))
    }

    @Test func aSpanIsSealedToo() throws {
        let key = P256.KeyAgreement.PrivateKey()
        let packet = try ECIES.seal(message.span, to: key.publicKey)
        #expect(try exposed(ECIES.open(packet, with: key)) == message)
    }

    /// The key of each message is its own, or the zero IV would give two messages under one key and IV.
    @Test func noTwoPacketsShareAKey() throws {
        let key = P256.KeyAgreement.PrivateKey()
        let packets = try (0..<20).map { _ in try ECIES.seal(message, to: key.publicKey) }
        #expect(Set(packets.map(\.ephemeralPublicKey)).count == 20)
        #expect(Set(packets.map(\.ciphertext)).count == 20)
    }

    @Test(arguments: NISTCurveTests.curves) func everyCutIsRefused(curve: any NISTCurve.Type) throws {
        try cut(curve)
    }

    private func cut<Curve: NISTCurve>(_: Curve.Type) throws {
        let key = ECDH<Curve>.PrivateKey()
        let whole = try ECIES.seal(message, to: key.publicKey).combined
        let shortest = ECIES.Packet<Curve>.overhead
        for size in 0..<whole.count {
            #expect(throws: size < shortest ? ECIESError.tooShort(minimum: shortest) : .authenticationFailure) {
                try ECIES.open(.init(combined: whole.prefix(size)), with: key).count
            }
        }
        #expect(throws: ECIESError.authenticationFailure) {
            try ECIES.open(.init(combined: whole + [0]), with: key).count
        }
    }

    @Test(arguments: NISTCurveTests.curves) func everyFlippedBitIsRefused(curve: any NISTCurve.Type) throws {
        try flip(curve)
    }

    private func flip<Curve: NISTCurve>(_: Curve.Type) throws {
        let key = ECDH<Curve>.PrivateKey()
        let whole = try ECIES.seal(message, to: key.publicKey).combined
        let point = ECIES.Packet<Curve>.overhead - 16
        for bit in 0..<whole.count * 8 {
            var flipped = whole
            flipped[bit / 8] ^= 1 << (bit % 8)
            // A point with one bit changed lies beside the curve.
            #expect(throws: bit / 8 < point ? ECIESError.invalidPoint : .authenticationFailure, "bit \(bit)") {
                try ECIES.open(.init(combined: flipped), with: key).count
            }
        }
    }

    @Test func anotherPointOfTheCurveIsRefused() throws {
        let key = P256.KeyAgreement.PrivateKey()
        let packet = try ECIES.seal(message, to: key.publicKey)
        let other = P256.KeyAgreement.PrivateKey().publicKey.x963Representation
        let changed = try ECIES.Packet<P256>(combined: other + packet.ciphertext + packet.tag)
        #expect(throws: ECIESError.authenticationFailure) { try ECIES.open(changed, with: key).count }
        // The mirrored point agrees on the same x-coordinate: the KDF has the point, so that it is refused all the same.
        var compressed = packet.ephemeralPublicKey.compressedRepresentation
        compressed[0] ^= 1
        let mirrored = try P256.KeyAgreement.PublicKey(compressedRepresentation: compressed).x963Representation
        let mirror = try ECIES.Packet<P256>(combined: mirrored + packet.ciphertext + packet.tag)
        #expect(
            try key.sharedSecretFromKeyAgreement(with: mirror.ephemeralPublicKey)
                == key.sharedSecretFromKeyAgreement(with: packet.ephemeralPublicKey)
        )
        #expect(throws: ECIESError.authenticationFailure) { try ECIES.open(mirror, with: key).count }
    }

    @Test func anotherKeyIsRefused() throws {
        let packet = try ECIES.seal(message, to: P256.KeyAgreement.PrivateKey().publicKey)
        #expect(throws: ECIESError.authenticationFailure) {
            try ECIES.open(packet, with: P256.KeyAgreement.PrivateKey()).count
        }
    }

    @Test func aPacketOfAnotherCurveIsRefused() throws {
        let packet = try ECIES.seal(message, to: P384.KeyAgreement.PrivateKey().publicKey).combined
        #expect(throws: ECIESError.invalidPoint) { try ECIES.Packet<P256>(combined: packet) }
        #expect(throws: ECIESError.tooShort(minimum: 149)) { try ECIES.Packet<P521>(combined: packet.prefix(148)) }
    }

    @Test func pointsInOtherFormsAreRefused() throws {
        let key = P256.KeyAgreement.PrivateKey()
        let packet = try ECIES.seal(message, to: key.publicKey)
        let rest = packet.ciphertext + packet.tag
        let point = packet.ephemeralPublicKey
        let hybrid = [UInt8(6 + point.compressedRepresentation[0] % 2)] + point.rawRepresentation
        for prefix in [hybrid, Array(point.compressedRepresentation), [0]] {
            #expect(throws: ECIESError.invalidPoint) {
                try ECIES.Packet<P256>(combined: Data(prefix) + rest + Data(count: 65))
            }
        }
    }

    @Test func theLargestMessageOpensAndALargerOneIsRefused() throws {
        let key = P256.KeyAgreement.PrivateKey()
        let most = Data(count: ECIES.maximumMessageByteCount)
        let packet = try ECIES.Packet<P256>(combined: ECIES.seal(most, to: key.publicKey).combined)
        let opened = try ECIES.open(packet, with: key)
        #expect(opened.count == most.count)
        #expect(throws: ECIESError.tooLong) { try ECIES.seal(most + [0], to: key.publicKey) }
        #expect(throws: ECIESError.tooLong) { try ECIES.seal(Array(most + [0]).span, to: key.publicKey) }
        #expect(throws: ECIESError.tooLong) { try ECIES.Packet<P256>(combined: packet.combined + [0]) }
    }

    @Test func errorsSayWhatHappened() {
        let texts: KeyValuePairs<ECIESError, String> = [
            .tooShort(minimum: 81): "81", .tooLong: "67108864", .invalidPoint: "point",
            .authenticationFailure: "another key", .incorrectSharedSecretSize(expected: 66): "66",
            .cryptography(.invalidParameter): "invalidParameter",
        ]
        for (error, text) in texts { #expect("\(error)".contains(text), "\(error)") }
        #expect("\(ECIESError.authenticationFailure)".contains("damaged"))
    }
}
