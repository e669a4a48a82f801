import Foundation
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite(
    "age: passphrases, both directions with the age program at a terminal",
    .serialized,
    .enabled(if: ageIsExpected && Program.areExpected(["script"], from: "bsdutils")),
    .enabled(if: Program.areExpected(["ssh-keygen"], from: "openssh-client"))
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

    @Test("age opens with a key file that was put under a passphrase here, and here one of age's opens")
    func keyFiles() throws {
        let identity = AgeX25519Identity()
        let text = AgeKeyFile.text(of: identity, created: 0)
        try WholeFile.write(text.span, to: folder.file("key"))
        try WholeFile.write(Array("a short text".utf8).span, to: folder.file("plain"))
        try AgeFile.encrypt(folder.file("plain"), to: folder.file("file.age"), recipients: [identity.recipient])
        try AgeFile.encrypt(
            folder.file("key"),
            to: folder.file("ours.age"),
            recipients: [AgeScryptRecipient(passphrase: secret(passphrase), workFactor: 12)],
            armored: true
        )
        let opened = try age(
            "-d -i \(folder.file("ours.age")) -o \(folder.file("out")) \(folder.file("file.age"))",
            typing: 1
        )
        #expect(opened.status == 0, "\(opened)")
        #expect(try WholeFile.read(folder.file("out"), limit: 100) == Array("a short text".utf8))

        let locked = try age("-p -o \(folder.file("theirs.age")) \(folder.file("key"))", typing: 2)
        #expect(locked.status == 0, "\(locked)")
        let passphrase = passphrase
        let keys = try AgeKeyFile.identities(
            at: folder.file("theirs.age"),
            questions: AgeKeyQuestions { _ in secret(passphrase) }
        )
        try AgeFile.decrypt(folder.file("file.age"), to: folder.file("again"), identities: keys)
        #expect(try WholeFile.read(folder.file("again"), limit: 100) == Array("a short text".utf8))
    }

    @Test("age opens what is written here for an SSH key under a passphrase")
    func sshKey() throws {
        let run = try Program.run(
            "ssh-keygen",
            ["-q", "-t", "ed25519", "-N", passphrase, "-a", "1", "-C", "", "-f", folder.file("ssh")]
        )
        try #require(run.status == 0, "\(run)")
        try WholeFile.write(Array("a short text".utf8).span, to: folder.file("plain"))
        try AgeFile.encrypt(
            folder.file("plain"),
            to: folder.file("file.age"),
            recipients: AgeKeyFile.recipients(at: folder.file("ssh.pub"))
        )
        let opened = try age(
            "-d -i \(folder.file("ssh")) -o \(folder.file("out")) \(folder.file("file.age"))",
            typing: 1
        )
        #expect(opened.status == 0, "\(opened)")
        #expect(try WholeFile.read(folder.file("out"), limit: 100) == Array("a short text".utf8))
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
