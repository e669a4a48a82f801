import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

@Suite("HPKE: what is refused (RFC 9180, sections 5.1, 5.2 and 7.1.4)")
struct HPKERefusalTests {
    static let ciphersuites = HPKE.KEM.allCases.map {
        HPKE.Ciphersuite(kem: $0, kdf: .HKDF_SHA384, aead: .AES_GCM_128)
    }
    private let message = Array("a message".utf8)
    private let header = Array("a header".utf8)
    private let info = Array("a protocol".utf8)

    /// One message for one recipient, of which a part may be changed.
    private struct Sealed {
        let key: HPKE.PrivateKey
        let ciphersuite: HPKE.Ciphersuite
        var enc, ciphertext, header, info: [UInt8]

        func open() throws(HPKE.Errors) -> Int {
            try HPKE.open(
                ciphertext.span,
                encapsulatedKey: enc.span,
                with: key,
                ciphersuite: ciphersuite,
                info: info.span,
                authenticating: header.span
            ).count
        }
    }

    private func seal(_ ciphersuite: HPKE.Ciphersuite) throws -> Sealed {
        let key = HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        let box = try HPKE.seal(
            message.span,
            to: key.publicKey,
            ciphersuite: ciphersuite,
            info: info.span,
            authenticating: header.span
        )
        let sealed = Sealed(
            key: key,
            ciphersuite: ciphersuite,
            enc: box.encapsulatedKey,
            ciphertext: box.ciphertext,
            header: header,
            info: info
        )
        #expect(try sealed.open() == message.count)
        return sealed
    }

    @Test(arguments: ciphersuites) func everyFlippedBit(ciphersuite: HPKE.Ciphersuite) throws {
        let sealed = try seal(ciphersuite)
        let isNIST = sealed.enc.count > 56
        for part in [\Sealed.enc, \.ciphertext, \.header, \.info] {
            for bit in 0..<sealed[keyPath: part].count * 8 {
                var changed = sealed
                changed[keyPath: part][bit / 8] ^= 1 << (bit % 8)
                // A point of a curve of NIST with one bit changed lies beside it. The first bit of X25519's last byte is
                // not read, but it is part of what the secret is derived from.
                let error: HPKE.Errors =
                    isNIST && part == \.enc ? .invalidEncapsulatedKey : .authenticationFailure
                #expect(throws: error, "\(ciphersuite.kem), bit \(bit)") { try changed.open() }
            }
        }
    }

    @Test(arguments: ciphersuites) func everyCut(ciphersuite: HPKE.Ciphersuite) throws {
        let sealed = try seal(ciphersuite)
        for part in [\Sealed.enc, \.ciphertext, \.header, \.info] {
            let whole = sealed[keyPath: part]
            for piece in (0..<whole.count).map({ Array(whole[..<$0]) }) + [whole + [0]] {
                var changed = sealed
                changed[keyPath: part] = piece
                let error: HPKE.Errors =
                    switch part {
                    case \.enc: .invalidEncapsulatedKey
                    case \.ciphertext where piece.count < 16: .ciphertextTooShort
                    default: .authenticationFailure
                    }
                #expect(throws: error) { try changed.open() }
            }
        }
    }

    @Test(arguments: HPKE.KEM.allCases) func keysOfOtherSizes(kem: HPKE.KEM) {
        for size in 0...140 {
            let raw = [UInt8](repeating: 1, count: size)
            if size != kem.publicKeyByteCount {
                #expect(throws: HPKE.Errors.invalidPublicKey) { try HPKE.PublicKey(kem: kem, serialized: raw) }
            }
            if size != kem.privateKeyByteCount {
                #expect(throws: HPKE.Errors.invalidPrivateKey) { try HPKE.PrivateKey(kem: kem, rawRepresentation: raw) }
            }
        }
    }

    @Test(arguments: [HPKE.KEM.P256_HKDF_SHA256, .P384_HKDF_SHA384, .P521_HKDF_SHA512])
    func pointsBesideTheCurve(kem: HPKE.KEM) throws {
        let point = HPKE.PrivateKey.generate(kem: kem).publicKey.serialized
        var beside = point
        beside[beside.count - 1] ^= 1
        let zero = [UInt8](repeating: 0, count: point.count)
        let coordinates = Array(point.dropFirst())
        let large = [UInt8](repeating: 0xff, count: coordinates.count)
        let forms = [beside, zero, [4] + zero.dropFirst(), [4] + large] + [2, 3, 6, 7].map { [$0] + coordinates }
        // RFC 9180 has no compressed points, though they are of the curve.
        let compressed = [2 + point[point.count - 1] % 2] + coordinates.prefix(coordinates.count / 2)
        for form in forms + [compressed] {
            #expect(throws: HPKE.Errors.invalidPublicKey) { try HPKE.PublicKey(kem: kem, serialized: form) }
            let key = HPKE.PrivateKey.generate(kem: kem)
            #expect(throws: HPKE.Errors.invalidEncapsulatedKey) {
                try HPKE.DHKEM.decapsulate(form.span, by: key, authenticatedBy: nil).count
            }
        }
    }

    @Test(arguments: [
        (HPKE.KEM.P256_HKDF_SHA256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
        (
            .P384_HKDF_SHA384,
            String(repeating: "f", count: 48) + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"
        ),
        (
            .P521_HKDF_SHA512,
            "01" + String(repeating: "f", count: 65)
                + "a51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
        ),
    ]) func scalarsOutOfRange(kem: HPKE.KEM, order: String) throws {
        let order = try bytes(order)
        for scalar in [order, order.map { _ in 0 }, order.map { _ in 0xff }] {
            #expect(throws: HPKE.Errors.invalidPrivateKey) { try HPKE.PrivateKey(kem: kem, rawRepresentation: scalar) }
        }
    }

    /// A secret of zeros would be the same whoever opens: in every place where a foreign point comes in.
    @Test(arguments: [HPKE.KEM.Curve25519_HKDF_SHA256, .Curve448_HKDF_SHA512])
    func pointsOfLowOrder(kem: HPKE.KEM) throws {
        let own = HPKE.PrivateKey.generate(kem: kem)
        let enc = HPKE.PrivateKey.generate(kem: kem).publicKey.serialized
        for first: UInt8 in [0, 1] {
            let serialized = [first] + [UInt8](repeating: 0, count: kem.publicKeyByteCount - 1)
            let low = try HPKE.PublicKey(kem: kem, serialized: serialized)
            #expect(throws: HPKE.Errors.invalidPublicKey) {
                try HPKE.DHKEM.encapsulate(to: low, ephemeral: .generate(kem: kem), authenticatedBy: nil).count
            }
            #expect(throws: HPKE.Errors.invalidEncapsulatedKey) {
                try HPKE.DHKEM.decapsulate(serialized.span, by: own, authenticatedBy: nil).count
            }
            #expect(throws: HPKE.Errors.invalidPublicKey) {
                try HPKE.DHKEM.decapsulate(enc.span, by: own, authenticatedBy: low).count
            }
        }
    }

    @Test func keysOfAnotherKEM() throws {
        let ciphersuite = HPKE.Ciphersuite.P256_SHA256_AES_GCM_256
        let (own, other) = (HPKE.PrivateKey.generate(kem: ciphersuite.kem), P384.KeyAgreement.PrivateKey().hpkeKey)
        let enc = own.publicKey.serialized
        #expect(throws: HPKE.Errors.inconsistentCiphersuiteAndKey) {
            try HPKE.seal(message.span, to: other.publicKey, ciphersuite: ciphersuite)
        }
        #expect(throws: HPKE.Errors.inconsistentCiphersuiteAndKey) {
            try HPKE.seal(message.span, to: own.publicKey, ciphersuite: ciphersuite, authenticatedBy: other)
        }
        #expect(throws: HPKE.Errors.inconsistentCiphersuiteAndKey) {
            try HPKE.receiveExport(
                enc.span,
                with: other,
                ciphersuite: ciphersuite,
                context: header.span,
                outputByteCount: 32
            ).count
        }
        #expect(throws: HPKE.Errors.inconsistentCiphersuiteAndKey) {
            try HPKE.receiveExport(
                enc.span,
                with: own,
                ciphersuite: ciphersuite,
                context: header.span,
                outputByteCount: 32,
                authenticatedBy: other.publicKey
            ).count
        }
    }

    @Test func presharedKeysWithoutTheirOtherHalf() {
        let (key, none) = (SymmetricKey(size: .bits256), SymmetricKey(data: [UInt8]()))
        #expect(throws: HPKE.Errors.inconsistentPSKInputs) { try HPKE.PresharedKey(key, identifier: Data()) }
        #expect(throws: HPKE.Errors.inconsistentPSKInputs) { try HPKE.PresharedKey(none, identifier: Data([1])) }
        #expect(throws: HPKE.Errors.expectedPSK) { try HPKE.PresharedKey(none, identifier: Data()) }
        for size in 1..<32 {
            #expect(throws: HPKE.Errors.tooShortPSK) {
                try HPKE.PresharedKey(SymmetricKey(data: Data(count: size)), identifier: Data([1]))
            }
        }
    }

    @Test(arguments: ciphersuites) func whoeverIsNotTheSender(ciphersuite: HPKE.Ciphersuite) throws {
        let (key, sender) = (
            HPKE.PrivateKey.generate(kem: ciphersuite.kem), HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        )
        let secret = SymmetricKey(size: .bits256)
        let psk = try HPKE.PresharedKey(secret, identifier: Data("name".utf8))
        let box = try HPKE.seal(
            message.span,
            to: key.publicKey,
            ciphersuite: ciphersuite,
            authenticatedBy: sender,
            presharedKey: psk
        )
        let open = { (key: HPKE.PrivateKey, sender: HPKE.PublicKey?, psk: HPKE.PresharedKey?) throws -> Int in
            try HPKE.open(
                box.ciphertext.span,
                encapsulatedKey: box.encapsulatedKey.span,
                with: key,
                ciphersuite: ciphersuite,
                authenticatedBy: sender,
                presharedKey: psk
            ).count
        }
        #expect(try open(key, sender.publicKey, psk) == message.count)
        let other = HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        let otherKey = try HPKE.PresharedKey(SymmetricKey(size: .bits256), identifier: Data("name".utf8))
        let otherName = try HPKE.PresharedKey(secret, identifier: Data("nome".utf8))
        for (key, sender, psk) in [
            (other, sender.publicKey, psk), (key, other.publicKey, psk), (key, nil, psk),
            (key, sender.publicKey, nil), (key, nil, nil), (key, sender.publicKey, otherKey),
            (key, sender.publicKey, otherName),
        ] as [(HPKE.PrivateKey, HPKE.PublicKey?, HPKE.PresharedKey?)] {
            #expect(throws: HPKE.Errors.authenticationFailure) { try open(key, sender, psk) }
        }
    }

    @Test func messagesOutOfTheirOrder() throws {
        let ciphersuite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
        let key = Curve25519.KeyAgreement.PrivateKey()
        var sender = try HPKE.Sender(recipientKey: key.publicKey, ciphersuite: ciphersuite, info: Data())
        let sealed = try (0..<3).map { _ in try sender.seal(message) }
        var recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(),
            encapsulatedKey: sender.encapsulatedKey
        )
        func refused(_ sealed: Data, _ expected: HPKE.Errors = .authenticationFailure) {
            do throws(HPKE.Errors) {
                _ = try recipient.open(sealed)
                Issue.record("opened")
            } catch { #expect(error == expected) }
        }
        refused(sealed[1])
        refused(Data(count: 15), .ciphertextTooShort)
        #expect(try Array(recipient.open(sealed[0])) == message)  // a refused one has taken no number
        refused(sealed[0])
        refused(sealed[2])
        #expect(try Array(recipient.open(sealed[1])) == message)
        #expect(try Array(recipient.open(sealed[2])) == message)
    }

    @Test func theSequenceEnds() throws {
        let ciphersuite = HPKE.Ciphersuite.P256_SHA256_AES_GCM_256
        let key = P256.KeyAgreement.PrivateKey()
        var sender = try HPKE.Sender(recipientKey: key.publicKey, ciphersuite: ciphersuite, info: Data())
        var recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(),
            encapsulatedKey: sender.encapsulatedKey
        )
        sender.context.sequenceNumber = .max - 1
        recipient.context.sequenceNumber = .max - 1
        let last = try sender.seal(message)
        #expect(try Array(recipient.open(last)) == message)
        for _ in 0..<2 {
            do throws(HPKE.Errors) {
                _ = try sender.seal(message)
                Issue.record("sealed")
            } catch { #expect(error == .outOfRangeSequenceNumber) }
            do throws(HPKE.Errors) {
                _ = try recipient.open(last)
                Issue.record("opened")
            } catch { #expect(error == .outOfRangeSequenceNumber) }
        }
    }

    @Test func anExportOfTooMuchStops() async {
        await #expect(processExitsWith: .failure) {
            let key = HPKE.PrivateKey.generate(kem: .Curve25519_HKDF_SHA256)
            let sender = try HPKE.Sender(
                recipientKey: key.publicKey,
                ciphersuite: .Curve25519_SHA256_ChachaPoly,
                info: Data()
            )
            _ = sender.exportSecret(context: [UInt8](), outputByteCount: 255 * 32 + 1)
        }
    }

    @Test func errorsSayWhatHappened() {
        let texts: KeyValuePairs<HPKE.Errors, String> = [
            .inconsistentCiphersuiteAndKey: "KEM", .exportOnlyMode: "exports", .inconsistentPSKInputs: "one of them",
            .expectedPSK: "both", .tooShortPSK: "32", .outOfRangeSequenceNumber: "new one",
            .ciphertextTooShort: "tag", .invalidPublicKey: "public", .invalidPrivateKey: "private",
            .invalidEncapsulatedKey: "encapsulated", .noKeyDerived: "derived", .authenticationFailure: "damaged",
            .cryptography(.invalidParameter): "invalidParameter",
        ]
        for (error, text) in texts { #expect("\(error)".contains(text), "\(error)") }
    }
}
