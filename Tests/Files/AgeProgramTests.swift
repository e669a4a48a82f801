import Foundation
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite("age: both directions with the age program", .enabled(if: ageIsExpected))
struct AgeProgramTests {
    private let folder: TemporaryFolder
    private let sizes = [0, 1, 100, 65_535, 65_536, 65_537, 131_072, 200_000, 1_048_579, 3_000_000]

    init() throws {
        folder = try TemporaryFolder()
    }

    private func contents() -> [[UInt8]] {
        var generator = Seed.generator(for: "age program")
        let random = (0..<Count.of(few: 2, full: 90)).map { _ in Int.random(in: 0...400_000, using: &generator) }
        return (sizes + random).map { generator.bytes($0) }
    }

    @Test("age opens what is written here")
    func ours() throws {
        let identity = AgeX25519Identity()
        try identity.secretText.write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
        for (content, armored) in contents().flatMap({ [($0, false), ($0, true)] }) {
            try WholeFile.write(content.span, to: folder.file("plain"))
            try AgeFile.encrypt(
                folder.file("plain"),
                to: folder.file("file.age"),
                recipients: [AgeX25519Identity().recipient, identity.recipient],
                armored: armored
            )
            let run = try Program.run(
                "age",
                ["-d", "-i", folder.file("key"), "-o", folder.file("out"), folder.file("file.age")]
            )
            #expect(run.status == 0, "\(run)")
            // Version 1.1 of age makes no file when there is nothing to write.
            let isThere = WholeFile.exists(folder.file("out"))
            #expect(isThere || content.isEmpty)
            #expect(try isThere ? WholeFile.read(folder.file("out"), limit: 1 << 23) == content : true)
            try? FileManager.default.removeItem(atPath: folder.file("out"))
        }
    }

    @Test("What age writes opens here")
    func theirs() throws {
        let keygen = try Program.run("age-keygen", ["-o", folder.file("key")])
        #expect(keygen.status == 0, "\(keygen)")
        let identities = try AgeKeyFile.identities(at: folder.file("key"))
        guard let identity = identities.first as? AgeX25519Identity else {
            Issue.record("no identity in what age-keygen wrote")
            return
        }
        let text = try String(contentsOfFile: folder.file("key"), encoding: .utf8)
        #expect(text.contains("\n# public key: \(identity.recipient)\n"))
        for (content, armored) in contents().flatMap({ [($0, []), ($0, ["--armor"])] }) {
            try WholeFile.write(content.span, to: folder.file("plain"))
            let run = try Program.run(
                "age",
                armored + [
                    "-r", AgeX25519Identity().recipient.description, "-r", identity.recipient.description,
                    "-o", folder.file("file.age"), folder.file("plain"),
                ]
            )
            #expect(run.status == 0, "\(run)")
            try AgeFile.decrypt(folder.file("file.age"), to: folder.file("out"), identities: [identity])
            #expect(try WholeFile.read(folder.file("out"), limit: 1 << 23) == content)
        }
    }

    @Test("age-keygen reads a key file that is written here, and age encrypts to it")
    func keyFile() throws {
        let identity = AgeX25519Identity()
        try WholeFile.write(AgeKeyFile.text(of: identity, created: 1_700_000_000).span, to: folder.file("key"))
        let run = try Program.run("age-keygen", ["-y", folder.file("key")])
        #expect(run.status == 0 && run.output == "\(identity.recipient)\n", "\(run)")
        let encrypted = try Program.run(
            "age",
            ["-e", "-i", folder.file("key"), "-o", folder.file("file.age")],
            input: "a short text"
        )
        #expect(encrypted.status == 0, "\(encrypted)")
        try AgeFile.decrypt(folder.file("file.age"), to: folder.file("out"), identities: [identity])
        #expect(try WholeFile.read(folder.file("out"), limit: 100) == Array("a short text".utf8))
    }
}
