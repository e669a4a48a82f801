import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

/// The peer first shows on the RFC's published vectors that it knows the RFC. No vector has KEM 0x11 and KDF 2 in one
/// ciphersuite: here that is held against code that others wrote the primitives of.
@Suite(
    "HPKE: another implementation",
    .enabled(if: PythonPeer.isExpected),
    .enabled(if: Vectors.areExpected)
)
struct HPKEPeerTests {
    private let peer = PythonPeer("Tests/Crypto/HPKE/hpke.py")
    private let texts = [[], Array("a message".utf8), [UInt8](repeating: 7, count: 1000)]
    private let header = Array("a header".utf8)
    private let info = Array("a protocol".utf8)

    /// One encapsulation, with the names of the published vectors.
    private struct Form: Encodable {
        let mode: Int
        let kem_id, kdf_id, aead_id: UInt16
        let ikmR, ikmS, ikmE, psk, psk_id, info, aad: String
        var enc = ""
        var texts: [String] = []
        var ciphertexts: [String] = []
    }

    private struct Opened: Decodable {
        let texts: [String]
        let exported: String
    }

    private struct Sealed: Decodable {
        let enc: String
        let texts: [String]
        let exported: String
    }

    /// Every ciphersuite in the four modes.
    private func forms() -> [(Form, HPKE.Ciphersuite)] {
        HPKETests.ciphersuites.flatMap { ciphersuite in
            (0...3).map { mode in
                let form = Form(
                    mode: mode,
                    kem_id: ciphersuite.kem.rawValue,
                    kdf_id: ciphersuite.kdf.rawValue,
                    aead_id: ciphersuite.aead.rawValue,
                    ikmR: Hex.encode(SecureRandom.bytes(count: 66)),
                    ikmS: Hex.encode(SecureRandom.bytes(count: 66)),
                    ikmE: Hex.encode(SecureRandom.bytes(count: 66)),
                    psk: mode % 2 == 1 ? Hex.encode(SecureRandom.bytes(count: 32)) : "",
                    psk_id: mode % 2 == 1 ? "6e616d65" : "",
                    info: Hex.encode(info),
                    aad: Hex.encode(header),
                    texts: ciphersuite.aead == .exportOnly ? [] : texts.map { Hex.encode($0) }
                )
                return (form, ciphersuite)
            }
        }
    }

    private func sender(_ form: Form, _ ciphersuite: HPKE.Ciphersuite) throws -> HPKE.Sender {
        let recipient = try HPKE.PrivateKey(deriving: bytes(form.ikmR), kem: ciphersuite.kem).publicKey
        let own = try HPKE.PrivateKey(deriving: bytes(form.ikmS), kem: ciphersuite.kem)
        let (psk, identifier) = try (SymmetricKey(data: bytes(form.psk)), Data(bytes(form.psk_id)))
        switch form.mode {
        case 0: return try HPKE.Sender(recipientKey: recipient, ciphersuite: ciphersuite, info: Data(info))
        case 1:
            return try HPKE.Sender(
                recipientKey: recipient,
                ciphersuite: ciphersuite,
                info: Data(info),
                presharedKey: psk,
                presharedKeyIdentifier: identifier
            )
        case 2:
            return try HPKE.Sender(
                recipientKey: recipient,
                ciphersuite: ciphersuite,
                info: Data(info),
                authenticatedBy: own
            )
        default:
            return try HPKE.Sender(
                recipientKey: recipient,
                ciphersuite: ciphersuite,
                info: Data(info),
                authenticatedBy: own,
                presharedKey: psk,
                presharedKeyIdentifier: identifier
            )
        }
    }

    private func recipient(_ form: Form, _ ciphersuite: HPKE.Ciphersuite, _ enc: Data) throws -> HPKE.Recipient {
        let own = try HPKE.PrivateKey(deriving: bytes(form.ikmR), kem: ciphersuite.kem)
        let sender = try HPKE.PrivateKey(deriving: bytes(form.ikmS), kem: ciphersuite.kem).publicKey
        let (psk, identifier) = try (SymmetricKey(data: bytes(form.psk)), Data(bytes(form.psk_id)))
        switch form.mode {
        case 0:
            return try HPKE.Recipient(
                privateKey: own,
                ciphersuite: ciphersuite,
                info: Data(info),
                encapsulatedKey: enc
            )
        case 1:
            return try HPKE.Recipient(
                privateKey: own,
                ciphersuite: ciphersuite,
                info: Data(info),
                encapsulatedKey: enc,
                presharedKey: psk,
                presharedKeyIdentifier: identifier
            )
        case 2:
            return try HPKE.Recipient(
                privateKey: own,
                ciphersuite: ciphersuite,
                info: Data(info),
                encapsulatedKey: enc,
                authenticatedBy: sender
            )
        default:
            return try HPKE.Recipient(
                privateKey: own,
                ciphersuite: ciphersuite,
                info: Data(info),
                encapsulatedKey: enc,
                authenticatedBy: sender,
                presharedKey: psk,
                presharedKeyIdentifier: identifier
            )
        }
    }

    @Test func thePeerKnowsTheRFC() throws {
        let vectors = String(decoding: try Vectors.data("hpke/rfc9180-vectors_5f503c5.json"), as: UTF8.self)
        let answer: [String: Int] = try peer.run("check", json: vectors)
        #expect(answer == ["checked": 128])
    }

    @Test func pythonOpensWhatSwiftSealed() throws {
        var requests: [Form] = []
        var exported: [String] = []
        for (form, ciphersuite) in forms() {
            var request = form
            var sender = try sender(form, ciphersuite)
            request.enc = Hex.encode(sender.encapsulatedKey)
            for text in form.texts {
                request.ciphertexts.append(Hex.encode(try sender.seal(bytes(text), authenticating: header)))
            }
            let secret = sender.exportSecret(context: Data("context".utf8), outputByteCount: 100)
            exported.append(Hex.encode(exposed(secret)))
            requests.append(request)
        }
        let answers: [Opened] = try peer.run("open", requests)
        #expect(answers.count == 60 * 4)
        #expect(answers.map(\.texts) == requests.map(\.texts))
        #expect(answers.map(\.exported) == exported)
    }

    @Test func swiftOpensWhatPythonSealed() throws {
        let forms = forms()
        let answers: [Sealed] = try peer.run("seal", forms.map(\.0))
        try #require(answers.count == forms.count && forms.count == 60 * 4)
        for (index, (form, ciphersuite)) in forms.enumerated() {
            let answer = answers[index]
            var recipient = try recipient(form, ciphersuite, Data(bytes(answer.enc)))
            #expect(answer.texts.count == form.texts.count)
            for (sealed, text) in zip(answer.texts, form.texts) {
                #expect(try Hex.encode(recipient.open(bytes(sealed), authenticating: header)) == text)
            }
            let secret = recipient.exportSecret(context: Data("context".utf8), outputByteCount: 100)
            #expect(Hex.encode(exposed(secret)) == answer.exported)
        }
    }
}
