import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

/// Every case: four modes, KEMs 0x10, 0x12, 0x20 and 0x21, KDFs 1 and 3, every AEAD. `HPKEPostQuantumVectorTests` has vectors for
/// KEM 0x11 and for KDF 2.
@Suite("HPKE: published vectors (RFC 9180, appendix A)", .enabled(if: Vectors.areExpected))
struct HPKEVectorTests {
    @Test func keysAreDerived() throws {
        var derived = 0
        for vector in try HPKEVector.read() {
            let kem = try vector.ciphersuite.kem
            let keys = [
                (vector.ikmR, vector.skRm, vector.pkRm), (vector.ikmE, vector.skEm, vector.pkEm),
                (vector.ikmS, vector.skSm, vector.pkSm),
            ]
            for (input, scalar, point) in keys {
                guard let input, let scalar, let point else { continue }
                let key = try HPKE.PrivateKey(deriving: bytes(input), kem: kem)
                #expect(try Array(key.rawRepresentation) == bytes(scalar), "\(vector)")
                #expect(try key.publicKey.serialized == bytes(point), "\(vector)")
                let span = try bytes(input)
                #expect(try HPKE.PrivateKey(deriving: span.span, kem: kem).publicKey == key.publicKey)
                #expect(try HPKE.PublicKey(kem: kem, serialized: bytes(point)) == key.publicKey, "\(vector)")
                derived += 1
            }
        }
        #expect(derived == 128 * 2 + 64)
    }

    @Test func theKeyScheduleIsTheRFCs() throws {
        for vector in try HPKEVector.read() {
            let ciphersuite = try vector.ciphersuite
            let (recipient, sender) = try (vector.recipient, vector.sender)
            let (info, enc) = try (bytes(vector.info), bytes(vector.enc))
            let shared = try HPKE.DHKEM.encapsulate(
                to: recipient.publicKey,
                ephemeral: vector.ephemeral,
                authenticatedBy: sender
            )
            #expect(try exposed(shared) == bytes(vector.shared_secret), "\(vector)")
            let received = try HPKE.DHKEM.decapsulate(enc.span, by: recipient, authenticatedBy: sender?.publicKey)
            #expect(try exposed(received) == bytes(vector.shared_secret), "\(vector)")

            let schedule = try HPKE.KeySchedule(
                from: enc.span,
                recipient,
                ciphersuite,
                info.span,
                sender?.publicKey,
                vector.presharedKey
            )
            #expect(try schedule.context == bytes(vector.key_schedule_context), "\(vector)")
            #expect(schedule.context.first == vector.mode)
            let secret = exposed(SecretBytes(copying: schedule.secret.span))
            let exporter = exposed(schedule.exporterSecret())
            #expect(try secret == bytes(vector.secret), "\(vector)")
            #expect(try exporter == bytes(vector.exporter_secret), "\(vector)")
            guard let algorithm = ciphersuite.aead.algorithm else { continue }
            let keys = exposed(SecretBytes(copying: schedule.messageKeys(algorithm).keyAndNonce.span))
            #expect(try keys == bytes(vector.key) + bytes(vector.base_nonce), "\(vector)")
        }
    }

    @Test func everyMessageIsSealedAndOpened() throws {
        var messages = 0
        for vector in try HPKEVector.read() {
            let ciphersuite = try vector.ciphersuite
            var sender = try self.sender(vector)
            var recipient = try self.recipient(vector)
            #expect(try Array(sender.encapsulatedKey) == bytes(vector.enc), "\(vector)")
            #expect(vector.encryptions.isEmpty == (ciphersuite.aead == .exportOnly))
            for (number, encryption) in vector.encryptions.enumerated() {
                let (text, header) = try (bytes(encryption.pt), bytes(encryption.aad))
                let sealed = try sender.seal(text, authenticating: header)
                #expect(try Array(sealed) == bytes(encryption.ct), "\(vector), message \(number)")
                let opened = try recipient.open(bytes(encryption.ct), authenticating: header)
                #expect(Array(opened) == text, "\(vector), message \(number)")
                messages += 1
            }
            for export in vector.exports {
                let (context, expected) = try (bytes(export.exporter_context), bytes(export.exported_value))
                #expect(exposed(sender.exportSecret(context: context, outputByteCount: export.L)) == expected)
                #expect(exposed(recipient.exportSecret(context: context, outputByteCount: export.L)) == expected)
            }
        }
        #expect(messages == 96 * 257)
        print("hpke: \(messages) messages sealed and opened")
    }

    @Test func oneMessageAndOneExport() throws {
        for vector in try HPKEVector.read() {
            let (ciphersuite, recipient) = try (vector.ciphersuite, vector.recipient)
            let (sender, presharedKey) = try (vector.sender?.publicKey, vector.presharedKey)
            let (enc, info) = try (bytes(vector.enc), bytes(vector.info))
            if let first = vector.encryptions.first {
                let (sealed, header) = try (bytes(first.ct), bytes(first.aad))
                let message = try HPKE.open(
                    sealed.span,
                    encapsulatedKey: enc.span,
                    with: recipient,
                    ciphersuite: ciphersuite,
                    info: info.span,
                    authenticating: header.span,
                    authenticatedBy: sender,
                    presharedKey: presharedKey
                )
                #expect(try exposed(message) == bytes(first.pt), "\(vector)")
            }
            try #require(!vector.exports.isEmpty)
            for export in vector.exports {
                let context = try bytes(export.exporter_context)
                let secret = try HPKE.receiveExport(
                    enc.span,
                    with: recipient,
                    ciphersuite: ciphersuite,
                    info: info.span,
                    context: context.span,
                    outputByteCount: export.L,
                    authenticatedBy: sender,
                    presharedKey: presharedKey
                )
                #expect(try exposed(secret) == bytes(export.exported_value), "\(vector)")
            }
        }
    }

    private func sender(_ vector: HPKEVector) throws -> HPKE.Sender {
        try HPKE.Sender(
            vector.recipient.publicKey,
            vector.ciphersuite,
            Data(bytes(vector.info)),
            authenticatedBy: vector.sender,
            presharedKey: vector.presharedKey,
            ephemeral: vector.ephemeral
        )
    }

    /// By the public initialiser of the vector's mode.
    private func recipient(_ vector: HPKEVector) throws -> HPKE.Recipient {
        let (key, suite) = try (vector.recipient, vector.ciphersuite)
        let (info, enc) = try (Data(bytes(vector.info)), Data(bytes(vector.enc)))
        let psk = try SymmetricKey(data: bytes(vector.psk ?? ""))
        let identifier = try Data(bytes(vector.psk_id ?? ""))
        switch HPKE.Mode(rawValue: vector.mode) {
        case .base: return try HPKE.Recipient(privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: enc)
        case .psk:
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: enc,
                presharedKey: psk,
                presharedKeyIdentifier: identifier
            )
        case .auth:
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: enc,
                authenticatedBy: #require(try vector.sender).publicKey
            )
        case .authPSK:
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: enc,
                authenticatedBy: #require(try vector.sender).publicKey,
                presharedKey: psk,
                presharedKeyIdentifier: identifier
            )
        case nil: throw HPKE.Errors.expectedPSK
        }
    }
}
