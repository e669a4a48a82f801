import Foundation
import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamFiles

@Suite("RNCryptor: both directions with the openssl program and Python's hashes")
struct RNCryptorPeerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func peer(
        _ action: String,
        _ layout: String,
        _ secret: String,
        _ source: String,
        _ target: String
    ) throws -> Int32 {
        let script = Vectors.packageFolder + "/Tests/Peers/rncryptor_openssl.py"
        let result = try Program.run(
            "python3",
            [script, action, layout, secret, folder.file(source), folder.file(target)]
        )
        #expect(result.status < 2, "\(result)")
        return result.status
    }

    private var keys: String { "keys:" + String(repeating: "01", count: 32) + ":" + String(repeating: "02", count: 32) }

    private func contents(_ name: String, _ sizes: [Int]) -> [[UInt8]] {
        var generator = Seed.generator(for: name)
        let more = (0..<Count.of(few: 1, full: 30)).map { _ in Int.random(in: 0...30_000, using: &generator) }
        return (sizes + more).map { generator.bytes($0) }
    }

    @Test("The peer opens what is written here")
    func ours() throws {
        let text = "밀담 🔑 password"
        for content in contents("rncryptor ours", [0, 1, 16, 1000, 100_000]) {
            try WholeFile.write(content.span, to: folder.file("plain"))
            try RNCryptorFile.encrypt(folder.file("plain"), to: folder.file("file"), secret: password(text))
            #expect(try peer("read", "3", "password:" + text, "file", "back") == 0)
            #expect(try WholeFile.read(folder.file("back"), limit: 1 << 20) == content)
            #expect(try peer("read", "3", "password:other", "file", "back") == 1)
            try RNCryptorFile.encrypt(folder.file("plain"), to: folder.file("file"), secret: fixedSecret())
            #expect(try peer("read", "3", keys, "file", "back") == 0)
            #expect(try WholeFile.read(folder.file("back"), limit: 1 << 20) == content)
        }
    }

    private static let layouts: [(String, RNCryptorLayout)] = [
        ("3", .version3), ("2", .version2), ("1", .version1), ("counter-sha1", .counterSHA1),
        ("counter-sha256", .counterSHA256), ("chaining-sha256", .chainingSHA256),
    ]

    @Test(
        "What the peer writes opens here, and is what it is called",
        arguments: Cases.drawn(3, of: layouts, for: "layouts of the peer")
    )
    func theirs(_ layout: String, _ expected: RNCryptorLayout) throws {
        let text = "밀담 🔑 password"
        // Those that count pass the end of their period, 4 KiB; none is a multiple of 16, which may be ambiguous.
        for content in contents("rncryptor theirs", [1, 9001]) where !content.count.isMultiple(of: 16) {
            try WholeFile.write(content.span, to: folder.file("plain"))
            for kind in expected == .version3 ? ["password:"] : ["password:", "truncated:"] {
                #expect(try peer("write", layout, kind + text, "plain", "file") == 0)
                try open(
                    content,
                    opened(expected, content, isTruncated: kind == "truncated:"),
                    password(text),
                    .detected
                )
            }
            let unmarked = layout.contains("sha")
            #expect(try peer("write", (unmarked ? "unmarked-" : "") + layout, keys, "plain", "file") == 0)
            let format = unmarked ? RNCryptorFormat.unmarked : .detected
            try open(content, opened(expected, content), fixedSecret(), format)
        }
    }

    private func opened(_ layout: RNCryptorLayout, _ content: [UInt8], isTruncated: Bool = false) -> RNCryptorOpened {
        RNCryptorOpened(layout: layout, isPasswordTruncated: isTruncated, size: content.count)
    }

    private func open(
        _ content: [UInt8],
        _ expected: RNCryptorOpened,
        _ secret: borrowing RNCryptorSecret,
        _ format: RNCryptorFormat
    ) throws {
        let opened = try RNCryptorFile.decrypt(
            folder.file("file"),
            to: folder.file("back"),
            secret: secret,
            format: format
        )
        #expect(opened == expected)
        #expect(try WholeFile.read(folder.file("back"), limit: 1 << 20) == content)
    }
}
