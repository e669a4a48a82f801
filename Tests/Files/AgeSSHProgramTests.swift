import Foundation
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite(
    "age: SSH keys, both directions with the age and ssh-keygen programs",
    .enabled(if: ageIsExpected && Program.areExpected(["ssh-keygen"], from: "openssh-client"))
)
struct AgeSSHProgramTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func keygen(_ name: String, _ arguments: String...) throws {
        let run = try Program.run("ssh-keygen", ["-q", "-f", folder.file(name)] + arguments)
        try #require(run.status == 0, "\(run)")
    }

    private func identity(_ name: String) throws -> AgeSSHIdentity {
        let identities = try AgeKeyFile.identities(at: folder.file(name))
        guard identities.count == 1, let identity = identities[0] as? AgeSSHIdentity else {
            throw AgeKeyError.noKeys
        }
        return identity
    }

    @Test(
        "Keys of ssh-keygen, with comments of every length around a block",
        arguments: Array(0...Count.of(few: 8, full: 40))
    )
    func keys(_ count: Int) throws {
        try keygen("key", "-t", "ed25519", "-N", "", "-C", String(repeating: "c", count: count))
        let identity = try identity("key")
        let line = try String(contentsOfFile: folder.file("key.pub"), encoding: .utf8)
        #expect(try AgeSSHRecipient(line.split(separator: "\n")[0]) == identity.recipient)
        #expect(line.hasPrefix("\(identity.recipient)"))

        let content = Array("a short text".utf8)
        try WholeFile.write(content.span, to: folder.file("plain"))
        let run = try Program.run(
            "age",
            ["-R", folder.file("key.pub"), "-o", folder.file("theirs.age"), folder.file("plain")]
        )
        #expect(run.status == 0, "\(run)")
        try AgeFile.decrypt(folder.file("theirs.age"), to: folder.file("out"), identities: [identity])
        #expect(try WholeFile.read(folder.file("out"), limit: 100) == content)

        let recipients = try AgeKeyFile.recipients(at: folder.file("key.pub"))
        guard recipients.count == 1, case let recipient = recipients[0] else {
            Issue.record("no recipient in \(line)")
            return
        }
        try AgeFile.encrypt(
            folder.file("plain"),
            to: folder.file("ours.age"),
            recipients: [AgeX25519Identity().recipient, recipient],
            armored: count.isMultiple(of: 2)
        )
        let opened = try Program.run("age", ["-d", "-i", folder.file("key"), folder.file("ours.age")])
        #expect(opened.status == 0 && opened.output == "a short text", "\(opened)")
    }

    @Test("Several keys: each opens the file, and another does not")
    func several() throws {
        for name in ["one", "two", "three"] { try keygen(name, "-t", "ed25519", "-N", "", "-C", name) }
        let lines = try ["one", "two"].map { try String(contentsOfFile: folder.file($0 + ".pub"), encoding: .utf8) }
        try ("# both\n" + lines.joined()).write(toFile: folder.file("friends"), atomically: true, encoding: .utf8)
        let run = try Program.run(
            "age",
            ["-a", "-R", folder.file("friends"), "-o", folder.file("file.age")],
            input: "text"
        )
        #expect(run.status == 0, "\(run)")
        for name in ["one", "two"] {
            try AgeFile.decrypt(folder.file("file.age"), to: folder.file("out"), identities: [identity(name)])
            #expect(try WholeFile.read(folder.file("out"), limit: 10) == Array("text".utf8))
        }
        #expect(throws: AgeError.noIdentityMatches) {
            try AgeFile.decrypt(folder.file("file.age"), to: folder.file("no"), identities: [identity("three")])
        }
    }

    /// What age writes for a key under a passphrase.
    private func open(with passphrase: String) throws -> [UInt8] {
        let run = try Program.run(
            "age",
            ["-R", folder.file("key.pub"), "-o", folder.file("file.age")],
            input: "a short text"
        )
        #expect(run.status == 0, "\(run)")
        let questions = AgeKeyQuestions { _ in secret(passphrase) }
        let keys = try AgeKeyFile.identities(at: folder.file("key"), questions: questions)
        try AgeFile.decrypt(folder.file("file.age"), to: folder.file("out"), identities: keys)
        return try WholeFile.read(folder.file("out"), limit: 100)
    }

    @Test(
        "Keys of ssh-keygen under a passphrase, with each of its ciphers that are read",
        arguments: Cases.drawn(
            2,
            of: ["aes256-ctr", "aes192-ctr", "aes128-ctr", "aes256-cbc", "aes192-cbc", "aes128-cbc"],
            for: "ciphers of SSH keys"
        )
    )
    func encrypted(_ cipher: String) throws {
        try keygen("key", "-t", "ed25519", "-N", "correct horse", "-C", cipher, "-a", "2", "-Z", cipher)
        #expect(try open(with: "correct horse") == Array("a short text".utf8))
        #expect(throws: AgeError.lockedKey(file: folder.file("key"), .wrongPassphrase)) { try open(with: "wrong") }
    }

    @Test("A key under another cipher is refused, until ssh-keygen has written it as the error says")
    func otherCiphers() throws {
        try keygen("key", "-t", "ed25519", "-N", "secret", "-C", "", "-a", "1", "-Z", "aes256-gcm@openssh.com")
        #expect(throws: AgeKeyError.unusableFile(.unsupportedSSHCipher)) { try open(with: "secret") }
        let run = try Program.run(
            "ssh-keygen",
            ["-p", "-Z", "aes256-ctr", "-f", folder.file("key"), "-P", "secret", "-N", "secret", "-a", "1"]
        )
        #expect(run.status == 0, "\(run)")
        #expect(try open(with: "secret") == Array("a short text".utf8))
    }

    @Test("Keys of other types are refused, public and private")
    func otherTypes() throws {
        try keygen("key", "-t", "ecdsa", "-N", "", "-C", "")
        let defect = AgeKeyDefect.unsupportedSSHKey
        #expect(throws: AgeKeyError.unusableFile(defect)) { try AgeKeyFile.identities(at: folder.file("key")) }
        #expect(throws: AgeKeyError.unusableLine(1, defect)) { try AgeKeyFile.recipients(at: folder.file("key.pub")) }
    }
}
