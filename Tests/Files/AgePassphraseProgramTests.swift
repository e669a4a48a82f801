import Foundation
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite(
    "age: passphrases, both directions with the age program at a terminal",
    .serialized,
    .enabled(if: ageIsExpected && Program.areExpected(["script"], from: "bsdutils"))
)
struct AgePassphraseProgramTests {
    private let folder: TemporaryFolder
    private let passphrase = "correct horse 밀담"

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Each size in both forms; the program takes a second and 256 MiB for each passphrase.
    private static let cases: [(size: Int, armored: Bool)] = {
        let all = [65_537, 0, 1_048_579, 1, 65_536, 65_535].flatMap { [(size: $0, armored: true), ($0, false)] }
        return Array(all.prefix(Count.of(few: 2, full: all.count)))
    }()

    /// Runs age with a terminal, at which its answers are typed.
    private func age(_ arguments: String, typing lines: Int) throws -> Program.Result {
        let typed = String(repeating: passphrase + "\n", count: lines)
        return try Program.run("timeout", ["60", "script", "-qec", "age " + arguments, "/dev/null"], input: typed)
    }

    @Test("age opens what is written here", arguments: cases)
    func ours(_ size: Int, _ armored: Bool) throws {
        var generator = Seed.generator(for: "age passphrase")
        let content = generator.bytes(size)
        try WholeFile.write(content.span, to: folder.file("plain"))
        try AgeFile.encrypt(
            folder.file("plain"),
            to: folder.file("file.age"),
            recipients: [AgeScryptRecipient(passphrase: secret(passphrase), workFactor: 12)],
            armored: armored
        )
        let run = try age("-d -o \(folder.file("out")) \(folder.file("file.age"))", typing: 1)
        #expect(run.status == 0, "\(run)")
        // Version 1.1 of age makes no file when there is nothing to write.
        let isThere = WholeFile.exists(folder.file("out"))
        #expect(isThere || content.isEmpty)
        #expect(try isThere ? WholeFile.read(folder.file("out"), limit: 1 << 21) == content : true)
    }

    @Test("What age writes opens here, and with another passphrase does not", arguments: cases)
    func theirs(_ size: Int, _ armored: Bool) throws {
        var generator = Seed.generator(for: "age passphrase")
        let content = generator.bytes(size)
        try WholeFile.write(content.span, to: folder.file("plain"))
        let form = armored ? "--armor " : ""
        let run = try age("-p \(form)-o \(folder.file("file.age")) \(folder.file("plain"))", typing: 2)
        #expect(run.status == 0, "\(run)")
        let (own, other) = try (
            AgeScryptIdentity(passphrase: secret(passphrase)), AgeScryptIdentity(passphrase: secret(passphrase + " "))
        )
        try AgeFile.decrypt(folder.file("file.age"), to: folder.file("out"), identities: [own])
        #expect(try WholeFile.read(folder.file("out"), limit: 1 << 21) == content)
        #expect(throws: AgeError.noIdentityMatches) {
            try AgeFile.decrypt(folder.file("file.age"), to: folder.file("no"), identities: [other])
        }
        #expect(throws: AgeError.workFactorTooHigh(18, limit: 17)) {
            try AgeFile.decrypt(
                folder.file("file.age"),
                to: folder.file("no"),
                identities: [AgeScryptIdentity(passphrase: secret(passphrase), maximumWorkFactor: 17)]
            )
        }
        #expect(!WholeFile.exists(folder.file("no")))
    }
}
