import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

/// The set is about post-quantum algorithms, which this library does not have. Its cases with an algorithm of RFC 9180's run
/// here: they are the only vectors of KEM 0x11 (P-384), beside a KDF of the draft, and of KDF 2 (HKDF-SHA384), beside KEMs of it.
@Suite("HPKE: published vectors (draft-ietf-hpke-pq)", .enabled(if: Vectors.areExpected))
struct HPKEPostQuantumVectorTests {
    @Test func theRFCsKEMsEncapsulate() throws {
        var kems: [UInt16] = []
        for vector in try HPKEPostQuantumVector.read() {
            guard let kem = HPKE.KEM(rawValue: vector.kem_id) else { continue }
            let recipient = try HPKE.PrivateKey(deriving: bytes(vector.ikmR), kem: kem)
            let ephemeral = try HPKE.PrivateKey(deriving: bytes(vector.ikmE), kem: kem)
            // The set has X448's scalar clamped, which RFC 9180 has not: it is another key of the same point.
            let scalar = try HPKE.PrivateKey(kem: kem, rawRepresentation: bytes(vector.skRm))
            #expect(try recipient.publicKey.serialized == bytes(vector.pkRm), "\(vector)")
            #expect(scalar.publicKey == recipient.publicKey, "\(vector)")
            #expect(try ephemeral.publicKey.serialized == bytes(vector.enc), "\(vector)")
            let (enc, shared) = try (bytes(vector.enc), bytes(vector.shared_secret))
            let sent = try HPKE.DHKEM.encapsulate(to: recipient.publicKey, ephemeral: ephemeral, authenticatedBy: nil)
            #expect(exposed(sent) == shared, "\(vector)")
            let received = try HPKE.DHKEM.decapsulate(enc.span, by: recipient, authenticatedBy: nil)
            #expect(exposed(received) == shared, "\(vector)")
            kems.append(vector.kem_id)
        }
        #expect(kems == [0x10, 0x11, 0x20, 0x21])
    }

    /// The key schedule of RFC 9180, section 5.1, step by step: a `KeySchedule` is of a KEM that this library has.
    @Test func theRFCsKDFsGiveTheKeys() throws {
        var kdfs: [UInt16] = []
        for vector in try HPKEPostQuantumVector.read() {
            guard let kdf = HPKE.KDF(rawValue: vector.kdf_id) else { continue }
            let algorithm = try #require(HPKE.AEAD(rawValue: vector.aead_id)?.algorithm)
            let run = try Run(kdf, bytes(vector.suite_id))
            let identifierHash = run.extract([], "psk_id_hash", [])
            let context =
                try [HPKE.Mode.base.rawValue] + identifierHash + run.extract([], "info_hash", bytes(vector.info))
            let secret = try run.extract(bytes(vector.shared_secret), "secret", [])
            let keyAndNonce =
                run.expand(secret, "key", context, algorithm.keySize) + run.expand(secret, "base_nonce", context, 12)
            #expect(try keyAndNonce == bytes(vector.key) + bytes(vector.base_nonce), "\(vector)")
            let exporter = run.expand(secret, "exp", context, kdf.byteCount)
            #expect(try exporter == bytes(vector.exporter_secret), "\(vector)")
            try #require(vector.exports.count == 5 && vector.encryptions.count == 10)
            for export in vector.exports {
                let exported = try run.expand(exporter, "sec", bytes(export.exporter_context), export.L)
                #expect(try exported == bytes(export.exported_value), "\(vector)")
            }
            let keys = HPKE.MessageKeys(algorithm: algorithm, keyAndNonce: SecretBytes(copying: keyAndNonce))
            for (number, encryption) in vector.encryptions.enumerated() {
                let (text, header) = try (bytes(encryption.pt), bytes(encryption.aad))
                var sealed = [UInt8](repeating: 0, count: text.count + CipherContext.tagSize)
                let isSealed = unsafe sealed.withUnsafeMutableBytes { sealed in
                    unsafe text.withUnsafeBytes { text in
                        unsafe header.withUnsafeBytes { header in
                            unsafe keys.seal(text, UInt64(number), authenticating: header, to: sealed)
                        }
                    }
                }
                #expect(try isSealed && sealed == bytes(encryption.ct), "\(vector), message \(number)")
            }
            kdfs.append(vector.kdf_id)
        }
        #expect(kdfs.sorted() == [1, 1, 1, 1, 2, 2])
    }

    /// The labelled key derivation of a ciphersuite that is known by its identifier alone.
    private struct Run {
        let algorithm: DigestAlgorithm
        let prefix: [UInt8]

        init(_ kdf: HPKE.KDF, _ suiteID: [UInt8]) {
            algorithm = kdf.algorithm
            prefix = Array("HPKE-v1".utf8) + suiteID
        }

        private func run() -> HPKE.LabeledKDF.Run {
            HPKE.LabeledKDF.Run(
                context: ThreadContexts.current.authenticator(algorithm),
                size: algorithm.size,
                prefix: prefix
            )
        }

        func extract(_ salt: [UInt8], _ label: StaticString, _ input: [UInt8]) -> [UInt8] {
            var output = [UInt8](repeating: 0, count: algorithm.size)
            unsafe output.withUnsafeMutableBytes { output in
                unsafe salt.withUnsafeBytes { salt in
                    unsafe input.withUnsafeBytes { input in
                        unsafe run().extract(salt: salt, label, input, into: output)
                    }
                }
            }
            return output
        }

        func expand(_ key: [UInt8], _ label: StaticString, _ info: [UInt8], _ size: Int) -> [UInt8] {
            var output = [UInt8](repeating: 0, count: size)
            let run = run()
            unsafe key.withUnsafeBytes { unsafe run.use($0) }
            unsafe output.withUnsafeMutableBytes { output in
                unsafe info.withUnsafeBytes { unsafe run.expand(label, $0, into: output) }
            }
            return output
        }
    }
}
