import Foundation
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

/// Files of keys in each form in which other programs write them.
@Suite("Files of keys of elliptic curves")
struct ECKeyFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func openssl(_ arguments: String...) throws -> [UInt8] {
        let path = folder.file(UUID().uuidString)
        let result = try Program.run("openssl", arguments + ["-out", path])
        try #require(result.status == 0, "\(result)")
        return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func write(_ bytes: [UInt8]) throws -> String {
        let path = folder.file(UUID().uuidString)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(arguments: ["P-256", "P-384", "P-521"]) func everyFormIsOneKey(curve: String) throws {
        // With its parameters before it, as OpenSSL's older command writes a key.
        let old = try openssl("ecparam", "-name", curve, "-genkey")
        #expect(String(decoding: old, as: UTF8.self).hasPrefix("-----BEGIN EC PARAMETERS"))
        let path = try write(old)
        let key = try ECIESPrivateKey(old.span)
        let windows = String(decoding: old, as: UTF8.self).replacing("\n", with: "\r\n")
        let privateForms: [[UInt8]] = try [
            openssl("ec", "-in", path), openssl("ec", "-in", path, "-outform", "DER"), openssl("pkey", "-in", path),
            openssl("pkey", "-in", path, "-outform", "DER"), x963(key),
            Array(("a key of mine\r\n\r\n" + windows).utf8),
        ]
        for form in privateForms {
            #expect(try ECIESPrivateKey(form.span).publicKey == key.publicKey)
            #expect(throws: ECKeyError.privateKey) { _ = try ECIESPublicKey(form.span) }
        }
        let publicForms: [[UInt8]] = try [
            openssl("pkey", "-in", path, "-pubout"), openssl("pkey", "-in", path, "-pubout", "-outform", "DER"),
            Array(x963(key).prefix(1 + 2 * (x963(key).count / 3))),
        ]
        for form in publicForms {
            #expect(try ECIESPublicKey(form.span) == key.publicKey)
            #expect(throws: ECKeyError.publicKey) { _ = try ECIESPrivateKey(form.span) }
        }
        let text = ECKeyFile.text(publicKey: Data(publicForms[1]))
        #expect(Array((text + "\n").utf8) == publicForms[0], "what is written is what OpenSSL writes")
        let file = try Descriptor.open(path, O_RDONLY)
        #expect(try ECIESPrivateKey(from: file, path: path).publicKey == key.publicKey)
    }

    private func x963(_ key: ECIESPrivateKey) -> [UInt8] {
        switch key {
        case .p256(let key): Array(key.x963Representation)
        case .p384(let key): Array(key.x963Representation)
        case .p521(let key): Array(key.x963Representation)
        }
    }

    @Test func whatIsNoSuchKeyIsRefused() throws {
        let path = try write(try openssl("ecparam", "-name", "P-256", "-genkey"))
        let locked = try openssl("pkey", "-in", path, "-aes256", "-passout", "pass:secret")
        let lockedOld = try openssl("ec", "-in", path, "-aes256", "-passout", "pass:secret")
        for form in [locked, lockedOld] {
            #expect(throws: ECKeyError.encrypted) { _ = try ECIESPrivateKey(form.span) }
            #expect(throws: ECKeyError.self) { _ = try ECIESPublicKey(form.span) }
        }
        let others: [[UInt8]] = try [
            openssl("genpkey", "-algorithm", "ED25519"), openssl("ecparam", "-name", "secp256k1", "-genkey"),
            openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "group:P-256", "-pkeyopt", "ec_param_enc:explicit"),
            [0x30], [0x04], [UInt8](repeating: 4, count: 65), [UInt8](repeating: 4, count: 97),
            Array("-----BEGIN PRIVATE KEY-----\n".utf8),
            Array("-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----".utf8),
        ]
        for other in others {
            #expect(throws: ECKeyError.malformed) { _ = try ECIESPrivateKey(other.span) }
        }
        for other in [[], Array("a text\n".utf8), Array("-----BEGIN CERTIFICATE-----\n".utf8)] as [[UInt8]] {
            #expect(throws: ECKeyError.unknown) { _ = try ECIESPrivateKey(other.span) }
            #expect(throws: ECKeyError.unknown) { _ = try ECIESPublicKey(other.span) }
        }
        let large = try Descriptor.open(try write([UInt8](repeating: 0x30, count: 1 << 14 + 1)), O_RDONLY)
        #expect(throws: ECKeyError.tooLarge) { _ = try ECIESPrivateKey(from: large) }
    }

    @Test func aCutOrChangedTextIsRefused() throws {
        let text = try openssl("pkey", "-in", try write(try openssl("ecparam", "-name", "P-256", "-genkey")))
        _ = try ECIESPrivateKey(text.span)
        // Without the last line break it is whole still.
        for count in 0..<text.count - 1 {
            #expect((try? ECIESPrivateKey(Array(text[..<count]).span)) == nil, "\(count) bytes")
        }
        for index in text.indices {
            for bit in 0..<8 {
                var changed = text
                changed[index] ^= 1 << bit
                #expect((try? ECIESPrivateKey(changed.span)) == nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func changedPointsAreRefused() throws {
        let whole = Array(P256.KeyAgreement.PrivateKey().x963Representation)
        for index in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[index] ^= 1 << bit
                #expect((try? ECIESPrivateKey(changed.span)) == nil, "byte \(index), bit \(bit)")
            }
            #expect((try? ECIESPrivateKey(Array(whole[..<index]).span)) == nil)
        }
    }

    @Test func aKeyShowsNothing() throws {
        let key = try ECIESPrivateKey(Array(P256.KeyAgreement.PrivateKey().x963Representation).span)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "ECIESPrivateKey" && !dumped.contains("p256"), "\(dumped)")
    }
}
