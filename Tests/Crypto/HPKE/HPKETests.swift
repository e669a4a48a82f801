import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

@Suite("HPKE: round trips (RFC 9180, sections 5 and 6)")
struct HPKETests {
    /// Every combination of KEM, KDF and AEAD, published vectors or not.
    static let ciphersuites = HPKE.KEM.allCases.flatMap { kem in
        HPKE.KDF.allCases.flatMap { kdf in
            HPKE.AEAD.allCases.map { HPKE.Ciphersuite(kem: kem, kdf: kdf, aead: $0) }
        }
    }
    private let message = Array("a message".utf8)
    private let header = Array("a header".utf8)
    private let info = Array("a protocol".utf8)
    private let psk = SymmetricKey(size: .bits256)
    private let pskID = Data("a pre-shared key".utf8)

    @Test(arguments: ciphersuites) func withoutAuthentication(ciphersuite: HPKE.Ciphersuite) throws {
        let key = HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        let sender = try HPKE.Sender(recipientKey: key.publicKey, ciphersuite: ciphersuite, info: Data(info))
        let recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(info),
            encapsulatedKey: sender.encapsulatedKey
        )
        try converse(sender, recipient, ciphersuite)
    }

    @Test(arguments: ciphersuites) func withAPresharedKey(ciphersuite: HPKE.Ciphersuite) throws {
        let key = HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        let sender = try HPKE.Sender(
            recipientKey: key.publicKey,
            ciphersuite: ciphersuite,
            info: Data(info),
            presharedKey: psk,
            presharedKeyIdentifier: pskID
        )
        let recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(info),
            encapsulatedKey: sender.encapsulatedKey,
            presharedKey: psk,
            presharedKeyIdentifier: pskID
        )
        try converse(sender, recipient, ciphersuite)
    }

    @Test(arguments: ciphersuites) func withASendersKey(ciphersuite: HPKE.Ciphersuite) throws {
        let (key, own) = (
            HPKE.PrivateKey.generate(kem: ciphersuite.kem), HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        )
        let sender = try HPKE.Sender(
            recipientKey: key.publicKey,
            ciphersuite: ciphersuite,
            info: Data(info),
            authenticatedBy: own
        )
        let recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(info),
            encapsulatedKey: sender.encapsulatedKey,
            authenticatedBy: own.publicKey
        )
        try converse(sender, recipient, ciphersuite)
    }

    @Test(arguments: ciphersuites) func withBoth(ciphersuite: HPKE.Ciphersuite) throws {
        let (key, own) = (
            HPKE.PrivateKey.generate(kem: ciphersuite.kem), HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        )
        let sender = try HPKE.Sender(
            recipientKey: key.publicKey,
            ciphersuite: ciphersuite,
            info: Data(info),
            authenticatedBy: own,
            presharedKey: psk,
            presharedKeyIdentifier: pskID
        )
        let recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(info),
            encapsulatedKey: sender.encapsulatedKey,
            authenticatedBy: own.publicKey,
            presharedKey: psk,
            presharedKeyIdentifier: pskID
        )
        try converse(sender, recipient, ciphersuite)
    }

    /// Messages of several sizes, each sealed anew; and secrets.
    private func converse(
        _ sender: consuming HPKE.Sender,
        _ recipient: consuming HPKE.Recipient,
        _ ciphersuite: HPKE.Ciphersuite
    ) throws {
        #expect(sender.encapsulatedKey.count == ciphersuite.kem.publicKeyByteCount)
        for size in [0, 1, 16, 1000] where ciphersuite.aead != .exportOnly {
            let message = SecureRandom.bytes(count: size)
            let sealed = try [sender.seal(message, authenticating: header), sender.seal(message)]
            #expect(sealed.allSatisfy { $0.count == size + 16 } && sealed[0] != sealed[1])
            #expect(try Array(recipient.open(sealed[0], authenticating: header)) == message)
            #expect(try Array(recipient.open(sealed[1])) == message)
        }
        if ciphersuite.aead == .exportOnly {
            do throws(HPKE.Errors) {
                _ = try sender.seal(message)
                Issue.record("sealed")
            } catch { #expect(error == .exportOnlyMode) }
            do throws(HPKE.Errors) {
                _ = try recipient.open(Data(count: 20))
                Issue.record("opened")
            } catch { #expect(error == .exportOnlyMode) }
        }
        var known: Set<[UInt8]> = []
        for size in [1, 32, 64, 65, 255 * ciphersuite.kdf.byteCount] {
            let secret = sender.exportSecret(context: header, outputByteCount: size)
            #expect(secret == recipient.exportSecret(context: header, outputByteCount: size))
            #expect(secret != recipient.exportSecret(context: header + [0], outputByteCount: size) || size == 1)
            #expect(secret.bitCount == 8 * size && known.insert(exposed(secret)).inserted)
        }
    }

    @Test(arguments: ciphersuites) func oneMessage(ciphersuite: HPKE.Ciphersuite) throws {
        let (key, own) = (
            HPKE.PrivateKey.generate(kem: ciphersuite.kem), HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        )
        let presharedKey = try HPKE.PresharedKey(psk, identifier: pskID)
        guard ciphersuite.aead != .exportOnly else {
            #expect(throws: HPKE.Errors.exportOnlyMode) {
                try HPKE.seal(message.span, to: key.publicKey, ciphersuite: ciphersuite)
            }
            return
        }
        for (sender, presharedKey) in [(nil, nil), (own, nil), (nil, presharedKey), (own, presharedKey)] {
            let box = try HPKE.seal(
                message.span,
                to: key.publicKey,
                ciphersuite: ciphersuite,
                info: info.span,
                authenticating: header.span,
                authenticatedBy: sender,
                presharedKey: presharedKey
            )
            #expect(box.encapsulatedKey.count == ciphersuite.kem.publicKeyByteCount)
            let opened = try HPKE.open(
                box.ciphertext.span,
                encapsulatedKey: box.encapsulatedKey.span,
                with: key,
                ciphersuite: ciphersuite,
                info: info.span,
                authenticating: header.span,
                authenticatedBy: sender?.publicKey,
                presharedKey: presharedKey
            )
            #expect(exposed(opened) == message)
        }
    }

    @Test(arguments: ciphersuites) func oneExport(ciphersuite: HPKE.Ciphersuite) throws {
        let key = HPKE.PrivateKey.generate(kem: ciphersuite.kem)
        let export = try HPKE.sendExport(
            to: key.publicKey,
            ciphersuite: ciphersuite,
            context: header.span,
            outputByteCount: ciphersuite.kdf.byteCount
        )
        let encapsulatedKey = export.encapsulatedKey
        let secret = try HPKE.receiveExport(
            encapsulatedKey.span,
            with: key,
            ciphersuite: ciphersuite,
            context: header.span,
            outputByteCount: ciphersuite.kdf.byteCount
        )
        let isSame = export.secret.constantTimeEquals(secret)
        #expect(isSame && secret.count == ciphersuite.kdf.byteCount)
        let exported = exposed(export.takeSecret())
        // A recipient for messages exports the same.
        let recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(),
            encapsulatedKey: Data(encapsulatedKey)
        )
        let same = recipient.exportSecret(context: header, outputByteCount: ciphersuite.kdf.byteCount)
        #expect(exposed(same) == exported)
    }

    /// The keys of each curve, by CryptoKit's names.
    @Test func keysOfCurves() throws {
        try converse(P256.KeyAgreement.PrivateKey(), .P256_SHA256_AES_GCM_256) { $0.publicKey }
        try converse(P384.KeyAgreement.PrivateKey(), .P384_SHA384_AES_GCM_256) { $0.publicKey }
        try converse(P521.KeyAgreement.PrivateKey(), .P521_SHA512_AES_GCM_256) { $0.publicKey }
        try converse(Curve25519.KeyAgreement.PrivateKey(), .Curve25519_SHA256_ChachaPoly) { $0.publicKey }
        let ciphersuite = HPKE.Ciphersuite(kem: .Curve448_HKDF_SHA512, kdf: .HKDF_SHA512, aead: .AES_GCM_256)
        try converse(Curve448.KeyAgreement.PrivateKey(), ciphersuite) { $0.publicKey }
    }

    private func converse<Key: HPKEDiffieHellmanPrivateKey>(
        _ key: Key,
        _ ciphersuite: HPKE.Ciphersuite,
        _ publicKey: (Key) -> Key.PublicKey
    ) throws where Key.PublicKey: Equatable {
        let serialized = try key.publicKey.hpkeRepresentation(kem: ciphersuite.kem)
        #expect(try Key.PublicKey(serialized, kem: ciphersuite.kem) == key.publicKey)
        #expect(key.hpkeKey.publicKey == key.publicKey.hpkeKey && Array(serialized) == key.publicKey.hpkeKey.serialized)
        for other in HPKE.KEM.allCases where other != ciphersuite.kem {
            #expect(throws: HPKE.Errors.inconsistentCiphersuiteAndKey) {
                try key.publicKey.hpkeRepresentation(kem: other)
            }
            #expect(throws: HPKE.Errors.inconsistentCiphersuiteAndKey) { try Key.PublicKey(serialized, kem: other) }
        }
        #expect(throws: HPKE.Errors.invalidPublicKey) {
            try Key.PublicKey(serialized.dropLast(), kem: ciphersuite.kem)
        }
        let sender = try HPKE.Sender(
            recipientKey: key.publicKey,
            ciphersuite: ciphersuite,
            info: Data(info),
            authenticatedBy: key
        )
        let recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(info),
            encapsulatedKey: sender.encapsulatedKey,
            authenticatedBy: key.publicKey
        )
        try converse(sender, recipient, ciphersuite)
    }

    @Test(arguments: HPKE.KEM.allCases) func keysOfAKEM(kem: HPKE.KEM) throws {
        let key = HPKE.PrivateKey.generate(kem: kem)
        #expect(key.kem == kem && key.rawRepresentation.count == kem.privateKeyByteCount)
        let copy = try HPKE.PrivateKey(kem: kem, rawRepresentation: key.rawRepresentation)
        #expect(copy.publicKey == key.publicKey && copy.publicKey.hashValue == key.publicKey.hashValue)
        #expect(try HPKE.PublicKey(kem: kem, serialized: key.publicKey.serialized.span) == key.publicKey)
        #expect(HPKE.PrivateKey.generate(kem: kem).publicKey != key.publicKey)
        // A secret of any size gives a key, and another secret another one.
        let keys = try [0, 1, 32, 64, 1000].map { size in
            let secret = [UInt8](repeating: 7, count: size)
            let derived = try HPKE.PrivateKey(deriving: secret, kem: kem)
            #expect(try HPKE.PrivateKey(deriving: SymmetricKey(data: secret), kem: kem).publicKey == derived.publicKey)
            return derived.publicKey
        }
        #expect(Set(keys).count == keys.count)
    }

    @Test func theSizesAreTheRFCs() {
        #expect(HPKE.KEM.allCases.map(\.publicKeyByteCount) == [65, 97, 133, 32, 56])
        #expect(HPKE.KEM.allCases.map(\.privateKeyByteCount) == [32, 48, 66, 32, 56])
        #expect(HPKE.KEM.allCases.map(\.labeledKDF.algorithm.size) == [32, 48, 64, 32, 64])
        #expect(HPKE.KDF.allCases.map(\.byteCount) == [32, 48, 64])
        #expect(HPKE.AEAD.allCases.map(\.keyByteCount) == [16, 32, 32, 0])
        #expect(HPKE.AEAD.allCases.map(\.nonceByteCount) == [12, 12, 12, 0])
        #expect(HPKE.AEAD.allCases.map(\.tagByteCount) == [16, 16, 16, 0])
    }

    @Test func ciphersuitesAreTheirAlgorithms() {
        #expect(Set(Self.ciphersuites).count == 60)
        #expect(
            HPKE.Ciphersuite(kem: .P256_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
                == .P256_SHA256_AES_GCM_256
        )
    }
}
