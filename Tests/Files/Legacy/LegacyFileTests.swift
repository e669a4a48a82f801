import Foundation
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite("Layouts without authentication")
struct LegacyFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ name: String) throws -> [UInt8] { try WholeFile.read(folder.file(name), limit: 1 << 24) }

    /// Has openssl encrypt `content` under a key and an IV in hexadecimal, with PKCS#7.
    private func make(_ content: [UInt8], _ key: String, _ iv: String = String(repeating: "0", count: 32)) throws {
        try WholeFile.write(content.span, to: folder.file("plain"))
        let result = try Program.run(
            "openssl",
            ["enc", "-aes-256-cbc", "-K", key, "-iv", iv, "-in", folder.file("plain"), "-out", folder.file("file")]
        )
        #expect(result.status == 0, "\(result)")
    }

    private func decrypt(_ text: String, _ layout: LegacyLayout) throws(LegacyError) -> LegacyOpened {
        let password = SecretBytes(copying: Array(text.utf8))
        return try LegacyFile.decrypt(folder.file("file"), to: folder.file("back"), password: password, layout: layout)
    }

    private func hex(_ text: some StringProtocol) -> String {
        let digits = text.utf8.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        return digits.padding(toLength: 64, withPad: "0", startingAt: 0)
    }

    @Test("The category's files open, whatever their size", arguments: [0, 1, 15, 16, 17, 1000, 1 << 20, 1 << 20 + 1])
    func category(_ size: Int) throws {
        let content = [UInt8](repeating: 7, count: size)
        for text in ["saltfactory", "밀담", String(repeating: "k", count: 32)] {
            try make(content, hex(text))
            let opened = try decrypt(text, .passwordAsKey)
            #expect(
                opened.key == .wholePassword && opened.size == size && !opened.isAuthenticated && !opened.hasOtherKey
            )
            #expect(try read("back") == content)
        }
    }

    @Test("A password that is too long was cut, or became a key of zeros; which, is said")
    func tooLong() throws {
        let content = Array("a longer content".utf8)
        let text = "밀담 비밀번호는 아주 긴 비밀번호"
        // 32 bytes end within a character, which is left out whole.
        var fits = ""
        for character in text {
            guard fits.utf8.count + character.utf8.count <= 32 else { break }
            fits.append(character)
        }
        #expect(text.utf8.count > 32 && (29..<32).contains(fits.utf8.count))
        try make(content, hex(fits))
        #expect(try decrypt(text, .passwordAsKey).key == .truncatedPassword)
        #expect(try read("back") == content)
        try make(content, hex(""))
        #expect(try decrypt(text, .passwordAsKey).key == .zero)
        #expect(try read("back") == content)
        #expect(throws: LegacyError.wrongPadding) { try decrypt("short", .passwordAsKey) }
    }

    @Test("PBKDF2-HMAC-SHA256 with salt, IV and rounds that are kept elsewhere")
    func pbkdf2() throws {
        let salt = SecureRandom.bytes(count: 20)
        let iv = SecureRandom.bytes(count: 16)
        func digits(_ bytes: [UInt8]) -> String { bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() }
        let derived = try Program.run(
            "openssl",
            [
                "kdf", "-keylen", "32", "-kdfopt", "digest:SHA256", "-kdfopt", "pass:밀담", "-kdfopt",
                "hexsalt:" + digits(salt), "-kdfopt", "iter:10000", "-binary", "-out", folder.file("key"), "PBKDF2",
            ]
        )
        #expect(derived.status == 0, "\(derived)")
        let content = Array("the third article".utf8)
        try make(content, digits(read("key")), digits(iv))
        let layout = LegacyLayout.pbkdf2(salt: salt, iv: iv, rounds: 10_000)
        let opened = try decrypt("밀담", layout)
        #expect(opened.key == .wholePassword && opened.size == content.count && !opened.isAuthenticated)
        #expect(try read("back") == content)
        for (iv, rounds) in [([], 10_000), (iv + [1], 10_000), (iv, 0), (iv, -1)] as [([UInt8], Int)] {
            #expect(throws: LegacyError.invalidParameter) {
                try decrypt("밀담", .pbkdf2(salt: salt, iv: iv, rounds: rounds))
            }
        }
    }

    @Test("A wrong password passes about once in 256 times, and then gives noise")
    func wrongPasswords() throws {
        let content = Array("content of two blocks".utf8)
        try make(content, hex("right"))
        var passed = 0
        let tries = Count.of(few: 2000, full: 50_000)
        for number in 0..<tries {
            do throws(LegacyError) {
                _ = try decrypt("wrong \(number)", .passwordAsKey)
                passed += 1
            } catch {
                #expect(error == .wrongPadding)
                #expect(!WholeFile.exists(folder.file("back")))
                continue
            }
            #expect(try read("back") != content)
            try FileManager.default.removeItem(atPath: folder.file("back"))
        }
        print("legacy: \(passed) of \(tries) wrong passwords have a padding by chance; 1 in 255 is expected")
        #expect(passed > 0 && passed < tries / 64)
    }

    @Test("A file of another length, an end that was changed, and a stop leave nothing; pipes neither")
    func refused() throws {
        try make([UInt8](repeating: 7, count: 100), hex("password"))
        let file = try read("file")
        for (bytes, error) in [
            (Array(file.dropLast()), LegacyError.truncated), ([], .truncated), (file + [0], .truncated),
        ] as [([UInt8], LegacyError)] {
            try WholeFile.write(bytes.span, to: folder.file("file"))
            #expect(throws: error) { try decrypt("password", .passwordAsKey) }
        }
        // The padding is the last 12 bytes: of the block before, the last byte changes the last of them.
        var changed = file
        changed[file.count - 17] ^= 0x40
        try WholeFile.write(changed.span, to: folder.file("file"))
        #expect(throws: LegacyError.wrongPadding) { try decrypt("password", .passwordAsKey) }
        let source = try FileSource(owning: Descriptor.open(folder.file("file"), O_RDONLY))
        let target = try FileTarget(Descriptor.open(folder.file("out"), O_WRONLY | O_CREAT))
        let password = SecretBytes(copying: Array("password".utf8))
        do throws(LegacyError) {
            try LegacyFile.decrypt(source, to: target, password: password, layout: .passwordAsKey)
            Issue.record("it opened")
        } catch {
            #expect(error == .wrongPadding)
        }
        #expect(try read("out").isEmpty)
        try WholeFile.write(file.span, to: folder.file("file"))
        #expect(throws: LegacyError.cancelled) {
            try LegacyFile.decrypt(
                folder.file("file"),
                to: folder.file("back"),
                password: SecretBytes(copying: Array("password".utf8)),
                layout: .passwordAsKey,
                monitor: FileMonitor(isCancelled: { true })
            )
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["file", "out", "plain"])
    }
}
