import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

/// RSAES-OAEP (RFC 8017, section 7.1), held against the openssl program.
@Suite("RSA: OAEP with SHA-256, and private keys in DER")
struct RSATests {
    private static let label = Array("a label".utf8)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openssl(_ arguments: String...) throws {
        let result = try Program.run("openssl", arguments)
        try #require(result.status == 0, "\(result)")
    }

    private func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    /// Makes a key: key.pem, and in DER pkcs1 and pkcs8.
    private func makeKey(bits: Int) throws {
        let key = folder.file("key.pem")
        try openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)", "-out", key)
        try openssl("rsa", "-in", key, "-traditional", "-outform", "DER", "-out", folder.file("pkcs1"))
        try openssl("pkcs8", "-topk8", "-nocrypt", "-in", key, "-outform", "DER", "-out", folder.file("pkcs8"))
    }

    private func crypt(_ operation: String, _ source: String, _ target: String) throws {
        let label = "rsa_oaep_label:" + Hex.encode(Self.label)
        let arguments = [
            "pkeyutl", operation, "-inkey", folder.file("key.pem"), "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt",
            "rsa_oaep_md:sha256", "-pkeyopt", "rsa_mgf1_md:sha256", "-pkeyopt", label, "-in", folder.file(source),
            "-out", folder.file(target),
        ]
        let result = try Program.run("openssl", arguments)
        try #require(result.status == 0, "\(result)")
    }

    private func opened(_ box: [UInt8], _ key: RSA.PrivateKey, _ label: [UInt8] = Self.label) throws -> [UInt8] {
        let message = try key.decrypt(box, label: label)
        return unsafe message.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    private func pkcs1(_ bytes: [UInt8]) throws(CryptoKitError) -> RSA.PrivateKey {
        try RSA.PrivateKey(pkcs1: bytes.span)
    }

    /// 2050 bits take 257 bytes, of which the first is small and has no zero before it. OpenSSL makes no keys of odd
    /// sizes.
    @Test("Both directions, for several sizes", arguments: [2048, 2050, 3072])
    func bothDirections(_ bits: Int) throws {
        try makeKey(bits: bits)
        let key = try pkcs1(try read("pkcs1"))
        let other = try read("pkcs8")
        #expect(try RSA.PrivateKey(pkcs8: other.span).publicKey == key.publicKey)
        #expect(key.publicKey.byteCount == (bits + 7) / 8)
        for size in [1, 16, key.publicKey.byteCount - 66] {
            let message = SecureRandom.bytes(count: size)
            let box = try key.publicKey.encrypt(message.span, label: Self.label)
            #expect(box.count == key.publicKey.byteCount)
            #expect(try opened(box, key) == message)
            try write(box, "box")
            try crypt("-decrypt", "box", "out")
            #expect(try read("out") == message)
            try write(message, "message")
            try crypt("-encrypt", "message", "theirs")
            #expect(try opened(try read("theirs"), key) == message)
        }
    }

    @Test("What was not encrypted so is refused, and what is too long is not encrypted")
    func refusals() throws {
        try makeKey(bits: 2048)
        let key = try pkcs1(try read("pkcs1"))
        let message: [UInt8] = [1, 2, 3]
        let box = try key.publicKey.encrypt(message.span, label: Self.label)
        #expect(throws: CryptoKitError.authenticationFailure) { _ = try key.decrypt(box, label: [1]) }
        #expect(throws: CryptoKitError.authenticationFailure) { _ = try key.decrypt(box, label: []) }
        for place in [0, 100, 255] {
            var changed = box
            changed[place] ^= 1
            let damaged = changed
            #expect(throws: CryptoKitError.authenticationFailure) { _ = try key.decrypt(damaged, label: Self.label) }
        }
        let short = Array(box.dropLast())
        #expect(throws: CryptoKitError.incorrectParameterSize) { _ = try key.decrypt(short, label: Self.label) }
        let long = [UInt8](repeating: 1, count: 191)
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try key.publicKey.encrypt(long.span, label: Self.label)
        }
    }

    @Test("Numbers that make no key are refused")
    func numbers() throws {
        let exponent: [UInt8] = [1, 0, 1]
        func refusal(_ modulus: [UInt8], _ exponent: [UInt8]) -> CryptoKitError? {
            do throws(CryptoKitError) {
                _ = try RSA.PublicKey(modulus: modulus.span, publicExponent: exponent.span)
                return nil
            } catch {
                return error
            }
        }
        let odd = [0] + [UInt8](repeating: 0xC5, count: 256)
        #expect(refusal(odd, exponent) == nil)
        #expect(refusal(Array(odd.dropFirst()), exponent) == .invalidParameter, "negative")
        #expect(refusal([0] + odd, exponent) == .invalidParameter, "not the fewest bytes")
        #expect(refusal(Array(odd.dropLast()) + [0xC4], exponent) == .invalidParameter, "even")
        #expect(refusal([0] + [UInt8](repeating: 0xC5, count: 255), exponent) == .incorrectKeySize)
        #expect(refusal([0x7F] + [UInt8](repeating: 0xC5, count: 255), exponent) == .incorrectKeySize, "2,047 bits")
        #expect(refusal([0] + [UInt8](repeating: 0xC5, count: 2049), exponent) == .incorrectKeySize)
        for exponent: [UInt8] in [[], [0], [1], [2], [4], [0, 3], [0x80], [0, 0x80, 0, 0, 1], [1, 0, 0, 0, 1]] {
            #expect(refusal(odd, exponent) == .invalidParameter, "\(exponent)")
        }
    }

    @Test("Cut at any byte, a private key is refused")
    func cuts() throws {
        try makeKey(bits: 2048)
        let (one, other) = (try read("pkcs1"), try read("pkcs8"))
        for count in 0..<one.count {
            let cut = Array(one[..<count])
            #expect(throws: CryptoKitError.self, "\(count)") { try RSA.PrivateKey(pkcs1: cut.span) }
        }
        for count in 0..<other.count {
            let cut = Array(other[..<count])
            #expect(throws: CryptoKitError.self, "\(count)") { try RSA.PrivateKey(pkcs8: cut.span) }
        }
        let more = one + [0]
        #expect(throws: CryptoKitError.self) { try RSA.PrivateKey(pkcs1: more.span) }
        #expect(throws: CryptoKitError.self) { try RSA.PrivateKey(pkcs8: one.span) }
        #expect(throws: CryptoKitError.self) { try RSA.PrivateKey(pkcs1: other.span) }
    }

    @Test("One bit changed, a private key is refused or, in what nobody needs, the same key")
    func flips() throws {
        try makeKey(bits: 2048)
        let der = try read("pkcs1")
        let expected = try pkcs1(der).publicKey
        var random = Seed.generator(for: "flip an RSA key")
        var accepted = 0
        for place in stride(from: 0, to: der.count, by: Count.of(few: 7, full: 1)) {
            var changed = der
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            guard let key = try? pkcs1(changed) else { continue }
            #expect(key.publicKey == expected, "\(place)")
            // The primes and what follows from them: five numbers of half the size.
            #expect(place > der.count * 2 / 5, "\(place)")
            accepted += 1
        }
        #expect(accepted > 0)
    }
}
