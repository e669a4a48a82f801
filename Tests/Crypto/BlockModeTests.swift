import Foundation
import MildamWire
import TestSupport
import Testing

@testable import MildamCrypto

@Suite("AES in modes without authentication")
struct BlockModeTests {
    private let iv: Insecure.AES.IV

    init() throws { iv = try Insecure.AES.IV(data: Array(0..<16)) }

    private func openssl(
        _ cipher: String,
        _ key: SymmetricKey,
        _ arguments: [String],
        _ input: [UInt8]
    ) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try Data(input).write(to: URL(fileURLWithPath: folder.file("in")))
        let hex = unsafe key.withUnsafeBytes { unsafe Hex.encode(Array($0)) }
        let result = try Program.run(
            "openssl",
            ["enc", "-\(cipher)", "-K", hex, "-in", folder.file("in"), "-out", folder.file("out")] + arguments
        )
        #expect(result.status == 0, "\(result)")
        return try Array(Data(contentsOf: URL(fileURLWithPath: folder.file("out"))))
    }

    @Test("CBC: every key size and every content around a block, as openssl has it", arguments: [16, 24, 32])
    func cbcAgainstOpenSSL(keySize: Int) throws {
        var generator = Seed.generator(for: "cbc \(keySize)")
        for size in [0, 1, 15, 16, 17, 31, 32, 33, 1000] {
            let key = SymmetricKey(data: generator.bytes(keySize))
            let content = generator.bytes(size)
            let ciphertext = try Insecure.AES.CBC.encrypt(content, using: key, iv: iv)
            let theirs = try openssl("aes-\(keySize * 8)-cbc", key, ["-iv", Hex.encode(iv.bytes)], content)
            #expect(Array(ciphertext) == theirs)
            #expect(try Insecure.AES.CBC.decrypt(theirs, using: key, iv: iv) == Data(content))
        }
    }

    @Test("CBC in pieces of any number of blocks is CBC at once")
    func cbcInPieces() throws {
        var generator = Seed.generator(for: "cbc pieces")
        let key = SymmetricKey(size: .bits256)
        for _ in 0..<Count.of(few: 50, full: 2000) {
            let content = generator.bytes(Int.random(in: 0...400, using: &generator))
            let whole = try Array(Insecure.AES.CBC.encrypt(content, using: key, iv: iv))
            var encryptor = try Insecure.AES.CBC.Encryptor(key: key, iv: iv)
            var decryptor = try Insecure.AES.CBC.Decryptor(key: key, iv: iv)
            let cut = Int.random(in: 0...content.count / 16, using: &generator) * 16
            var first = Array(content[..<cut])
            var rest = Array(content[cut...])
            var span = first.mutableSpan
            encryptor.update(inPlace: &span)
            encryptor.finish(inPlace: &rest)
            #expect(first + rest == whole)
            span = first.mutableSpan
            decryptor.update(inPlace: &span)
            try decryptor.finish(inPlace: &rest)
            #expect(first + rest == content)
        }
    }

    @Test("A wrong padding is one error, and nothing is left in the array")
    func wrongPadding() throws {
        let key = SymmetricKey(size: .bits256)
        for (value, changed) in [(0, nil), (17, nil), (255, nil), (2, 14), (16, 14), (16, 0)] as [(UInt8, Int?)] {
            var end = [UInt8](repeating: value, count: 16)
            if let changed { end[changed] ^= 0x80 }
            let block = SecureRandom.bytes(count: 16)
            var decryptor = try Insecure.AES.CBC.Decryptor(key: key, iv: ivMaking(end, of: block, key))
            var rest = block
            do {
                try decryptor.finish(inPlace: &rest)
                Issue.record("\(end) is no padding")
            } catch {
                #expect(error == .invalidParameter && rest.isEmpty)
            }
        }
    }

    /// The IV under which the block of ciphertext decrypts to `content`.
    private func ivMaking(_ content: [UInt8], of block: [UInt8], _ key: SymmetricKey) throws -> Insecure.AES.IV {
        var plain = block
        let context = BlockCipherContext(try .ecb(key), key, iv: [], encrypting: false)
        unsafe plain.withUnsafeMutableBytes { unsafe context.update($0) }
        return try Insecure.AES.IV(data: zip(plain, content).map { $0 ^ $1 })
    }

    @Test("A padding is found right for the 16 that are, and for no other last block")
    func paddings() {
        var generator = Seed.generator(for: "paddings")
        for _ in 0..<Count.of(few: 20_000, full: 1_000_000) {
            let size = UInt8.random(in: 0...20, using: &generator)
            var block = generator.bytes(16 - min(16, Int(size))) + [UInt8](repeating: size, count: min(16, Int(size)))
            if Bool.random(using: &generator) { block[Int.random(in: 0..<16, using: &generator)] ^= 1 }
            let last = Int(block[15])
            let isRight = (1...16).contains(last) && block.suffix(last).allSatisfy { $0 == block[15] }
            #expect(unsafe block.withUnsafeBytes { unsafe PKCS7.paddingSize(of: $0) } == (isRight ? last : nil))
        }
    }

    @Test("CTR counts in the first byte alone, and comes round after 4 KiB")
    func counter() throws {
        let key = SymmetricKey(size: .bits256)
        let start: [UInt8] = [250] + Array(1..<16)
        let blocks = (0..<512).flatMap { [UInt8(truncatingIfNeeded: 250 + $0)] + start.dropFirst() }
        let stream = try openssl("aes-256-ecb", key, ["-nopad"], blocks)
        var generator = Seed.generator(for: "ctr")
        for size in [0, 1, 15, 16, 17, 96, 97, 4095, 4096, 4097, 8192] {
            let content = generator.bytes(size)
            var cipher = try Insecure.AES.CTR(key: key, iv: Insecure.AES.IV(data: start))
            let cut = Int.random(in: 0...size, using: &generator)
            var (first, rest) = (Array(content[..<cut]), Array(content[cut...]))
            var span = first.mutableSpan
            cipher.update(inPlace: &span)
            span = rest.mutableSpan
            cipher.update(inPlace: &span)
            #expect(first + rest == zip(content, stream).map { $0 ^ $1 })
        }
        #expect(stream[..<4096] == stream[4096...])
    }

    @Test("Keys, IVs and ciphertexts of other sizes are refused")
    func sizes() throws {
        for count in [0, 15, 17, 31, 33] {
            let key = SymmetricKey(data: [UInt8](repeating: 1, count: count))
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try Insecure.AES.CBC.encrypt([1], using: key, iv: iv)
            }
            #expect(throws: CryptoKitError.incorrectKeySize) { _ = try Insecure.AES.CTR(key: key, iv: iv).self }
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try Insecure.AES.IV(data: [UInt8](repeating: 1, count: count))
            }
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                let key = SymmetricKey(size: .bits128)
                return try Insecure.AES.CBC.decrypt([UInt8](repeating: 1, count: count), using: key, iv: iv)
            }
        }
        #expect(Insecure.AES.IV() != Insecure.AES.IV())
    }

    @Test func anIVIsWiped() throws {
        var wiped = iv
        wiped.wipe()
        #expect(try wiped == Insecure.AES.IV(data: [UInt8](repeating: 0, count: 16)))
    }

    @Test("Half a block in the middle, and blocks after the last, stop the program")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var encryptor = try Insecure.AES.CBC.Encryptor(key: SymmetricKey(size: .bits256), iv: Insecure.AES.IV())
            var bytes: [UInt8] = [1, 2, 3]
            var span = bytes.mutableSpan
            encryptor.update(inPlace: &span)
        }
        await #expect(processExitsWith: .failure) {
            var encryptor = try Insecure.AES.CBC.Encryptor(key: SymmetricKey(size: .bits256), iv: Insecure.AES.IV())
            var bytes: [UInt8] = []
            encryptor.finish(inPlace: &bytes)
            encryptor.finish(inPlace: &bytes)
        }
    }
}
