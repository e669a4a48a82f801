import Foundation
import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamFiles

@Suite("RNCryptor: its layouts and passwords")
struct RNCryptorLayoutTests {
    private let long = "밀담 비밀번호"

    @Test("The file of the article: its greeting and its password, as RNCryptor 1.1 wrote it")
    func article() throws {
        let file = try Hex.decode(
            "0000000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f"
                + "121dbc9a4d0bb7723090f82d1973ec7023a1a988f0205170b71491b2465310a833a0fc07f403"
                + "000000000000000000000000"
        )
        let (content, opened) = try RNCryptorFile.decrypt(file, secret: password("saltfactory"))
        #expect(String(decoding: content, as: UTF8.self) == "Hello, Saltfactory")
        #expect(opened == RNCryptorOpened(layout: .counterSHA1, isPasswordTruncated: false, size: 18))
        #expect(throws: RNCryptorError.authenticationFailed) {
            try RNCryptorFile.decrypt(file, secret: password("Saltfactory"))
        }
        // The 12 zeros are compared, too.
        var changed = file
        changed[changed.count - 1] = 1
        #expect(throws: RNCryptorError.authenticationFailed) {
            try RNCryptorFile.decrypt(changed, secret: password("saltfactory"))
        }
        // Without its mark it is the same, to whoever says so.
        let unmarked = Array(file[2...])
        let again = try RNCryptorFile.decrypt(unmarked, secret: password("saltfactory"), format: .unmarked)
        #expect(again.content == content && again.opened == opened)
    }

    @Test("A password that was cut short opens up to version 2, and this is said")
    func truncatedPassword() throws {
        let text = "p\u{e4}ssw\u{f6}rd \u{1f511}\u{5bc6}"
        // Two bytes for each umlaut, four (two units) for the key, three for the last.
        #expect(text.utf8.count == 18 && text.utf16.count == 12)
        let content = Array("content".utf8)
        for version in UInt8(1)...3 {
            var maker = RNCryptorMaker.version(version, text)
            var opened = try RNCryptorFile.decrypt(maker.file(content), secret: password(text))
            #expect(opened.content == content && !opened.opened.isPasswordTruncated)
            maker.password = Array(text.utf8.prefix(text.utf16.count))
            guard version < 3 else {
                #expect(throws: RNCryptorError.authenticationFailed) {
                    try RNCryptorFile.decrypt(maker.file(content), secret: password(text))
                }
                continue
            }
            opened = try RNCryptorFile.decrypt(maker.file(content), secret: password(text))
            #expect(opened.content == content && opened.opened.isPasswordTruncated)
            #expect(throws: RNCryptorError.authenticationFailed) {
                try RNCryptorFile.decrypt(maker.file(content), secret: password("p\u{e4}ss"))
            }
        }
        var maker = RNCryptorMaker(mark: [0, 0], password: Array(text.utf8.prefix(12)), isCounting: true)
        let opened = try RNCryptorFile.decrypt(maker.file(content), secret: password(text))
        #expect(opened.content == content)
        #expect(opened.opened == RNCryptorOpened(layout: .counterSHA256, isPasswordTruncated: true, size: 7))
        maker.password = Array(text.utf8)
        #expect(try !RNCryptorFile.decrypt(maker.file(content), secret: password(text)).opened.isPasswordTruncated)
    }

    @Test("With HMAC-SHA256, the length and then the padding tell counting from chaining")
    func modes() throws {
        var generator = Seed.generator(for: "modes")
        for size in [0, 1, 15, 16, 17, 31, 32, 33, 64, 5000] {
            let content = generator.bytes(size)
            var maker = RNCryptorMaker(mark: [])
            maker.iv = generator.bytes(16)
            let chained = try RNCryptorFile.decrypt(maker.file(content), secret: fixedSecret(), format: .unmarked)
            #expect(chained.content == content && chained.opened.layout == .chainingSHA256)
            maker.isCounting = true
            let file = try maker.file(content)
            let counted = try RNCryptorFile.decrypt(file, secret: fixedSecret(), format: .unmarkedCounterSHA256)
            #expect(counted.content == content && counted.opened.layout == .counterSHA256)
            if !size.isMultiple(of: 16) || size == 0 {
                let detected = try RNCryptorFile.decrypt(file, secret: fixedSecret(), format: .unmarked)
                #expect(detected.content == content && detected.opened.layout == .counterSHA256)
            }
        }
    }

    @Test("A counted file with a padding by chance is taken for a chained one, unless it is named")
    func ambiguous() throws {
        var generator = Seed.generator(for: "ambiguous")
        var mistaken = 0
        let tries = Count.of(few: 4000, full: 100_000)
        for _ in 0..<tries {
            let content = generator.bytes(32)
            var maker = RNCryptorMaker(mark: [], isCounting: true)
            maker.iv = generator.bytes(16)
            let file = try maker.file(content)
            let detected = try RNCryptorFile.decrypt(file, secret: fixedSecret(), format: .unmarked)
            if detected.opened.layout == .counterSHA256 {
                #expect(detected.content == content)
                continue
            }
            mistaken += 1
            #expect(detected.opened.layout == .chainingSHA256)
            let named = try RNCryptorFile.decrypt(file, secret: fixedSecret(), format: .unmarkedCounterSHA256)
            #expect(named.content == content && named.opened.layout == .counterSHA256)
        }
        print("RNCryptor: \(mistaken) of \(tries) counted files have a padding by chance; 1 in 255 is expected")
        #expect(mistaken > 0 && mistaken < tries / 64)
    }

    @Test("Which way a format is read is the caller's word only where nothing is marked")
    func formats() throws {
        let content = Array("16 bytes exactly".utf8)
        let marked = try RNCryptorMaker(mark: [0, 0], password: Array("p".utf8), isCounting: true).file(content)
        #expect(try RNCryptorFile.decrypt(marked, secret: password("p"), format: .counterSHA256).content == content)
        let third = try RNCryptorMaker.version(3, nil).file(content)
        #expect(
            try RNCryptorFile.decrypt(third, secret: fixedSecret(), format: .counterSHA256).opened.layout == .version3
        )
        #expect(throws: RNCryptorError.authenticationFailed) {
            try RNCryptorFile.decrypt(third, secret: fixedSecret(), format: .unmarked)
        }
    }

    @Test("A file that was made otherwise asks for the secret that it needs")
    func differentlyKeyed() throws {
        for version in UInt8(1)...3 {
            #expect(throws: RNCryptorError.differentlyKeyed(needsPassword: true)) {
                try RNCryptorFile.decrypt(RNCryptorMaker.version(version, "p").file([1]), secret: fixedSecret())
            }
            #expect(throws: RNCryptorError.differentlyKeyed(needsPassword: false)) {
                try RNCryptorFile.decrypt(RNCryptorMaker.version(version, nil).file([1]), secret: password("p"))
            }
            let opened = try RNCryptorFile.decrypt(
                RNCryptorMaker.version(version, nil).file([1]),
                secret: fixedSecret()
            )
            #expect(opened.content == [1])
        }
        #expect(throws: RNCryptorError.differentlyKeyed(needsPassword: true)) {
            try RNCryptorFile.decrypt(RNCryptorMaker(mark: [0, 0], password: [1]).file([1]), secret: fixedSecret())
        }
    }

    @Test("Keys of another size and an empty password are refused")
    func secrets() throws {
        let file = try RNCryptorMaker.version(3, nil).file([1])
        let short = SymmetricKey(size: .bits128)
        #expect(throws: RNCryptorError.invalidKeySize) {
            try RNCryptorFile.decrypt(file, secret: .keys(encryption: short, hmac: fixedKeys.hmac))
        }
        #expect(throws: RNCryptorError.invalidKeySize) {
            try RNCryptorFile.decrypt(file, secret: .keys(encryption: fixedKeys.encryption, hmac: short))
        }
        let folder = try TemporaryFolder()
        try WholeFile.write([1].span, to: folder.file("plain"))
        #expect(throws: RNCryptorError.emptyPassword) {
            try RNCryptorFile.encrypt(folder.file("plain"), to: folder.file("file"), secret: password(""))
        }
        #expect(!WholeFile.exists(folder.file("file")))
        // Others may have written one.
        let old = try RNCryptorMaker.version(1, "").file([7])
        #expect(try RNCryptorFile.decrypt(old, secret: password("")).content == [7])
    }

    @Test("What is no such file is told apart")
    func otherFiles() {
        for (start, error) in [
            ([], RNCryptorError.notRNCryptor), ([3], .notRNCryptor), (Array("PK\u{3}\u{4}".utf8), .notRNCryptor),
            ([0, 1], .notRNCryptor), ([5, 1], .notRNCryptor), ([4, 1], .unsupportedVersion(4)),
            ([3, 2], .unknownOptions(2)), ([2, 255], .unknownOptions(255)), ([3, 1], .truncated), ([0, 0], .truncated),
        ] as [([UInt8], RNCryptorError)] {
            #expect(throws: error) { try RNCryptorFile.decrypt(start, secret: password("p")) }
        }
    }
}
