import Foundation
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite(
    "age: the ssh-rsa recipient type",
    .enabled(if: Program.areExpected(["ssh-keygen"], from: "openssh-client"))
)
struct AgeSSHRSATests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try keygen("key", "-t", "rsa", "-b", "2048", "-N", "")
    }

    private func keygen(_ name: String, _ arguments: String...) throws {
        let run = try Program.run("ssh-keygen", ["-q", "-f", folder.file(name), "-C", "a comment"] + arguments)
        try #require(run.status == 0, "\(run)")
    }

    private func identity(_ name: String) throws -> AgeSSHRSAIdentity {
        let identities = try AgeKeyFile.identities(at: folder.file(name))
        return try #require(identities.first as? AgeSSHRSAIdentity)
    }

    private func publicLine(_ name: String) throws -> String {
        let line = try String(contentsOfFile: folder.file(name + ".pub"), encoding: .utf8)
        return String(line.split(separator: "\n")[0])
    }

    @Test("A key opens what was written for its public line, and no other does")
    func roundTrip() throws {
        let identity = try identity("key")
        let line = try publicLine("key")
        let recipient = try AgeSSHRSARecipient(line)
        #expect(identity.recipient == recipient)
        #expect(line == "\(recipient) a comment")
        let file = try sealed([1, 2, 3], for: [AgeX25519Identity().recipient, recipient])
        #expect(try opened(file, with: [identity]) == [1, 2, 3])
        try keygen("other", "-t", "rsa", "-b", "2048", "-N", "")
        let other = try self.identity("other")
        #expect(throws: AgeError.noIdentityMatches) { try opened(file, with: [other]) }
        #expect(try opened(file, with: [other, identity]) == [1, 2, 3])
        let stanza = try header(of: file).header.stanzas[1]
        #expect(stanza.arguments.count == 2 && stanza.arguments[0] == "ssh-rsa" && stanza.body.count == 256)
        #expect("\(identity)" == "AgeSSHRSAIdentity for \(recipient)")
    }

    @Test("A stanza that breaks the rules makes a malformed header; one that is for somebody else does not")
    func stanzas() throws {
        let identity = try identity("key")
        let made = try sealed([1, 2, 3], for: [identity.recipient])
        let lines = String(decoding: made.prefix(500), as: UTF8.self).split(separator: "\n")
        let tag = lines[1].split(separator: " ")[2]
        // 256 bytes are 342 characters: five full lines and one of 22.
        let body = lines[2..<8].joined(separator: "\n")
        let rest = made.dropFirst(lines[..<8].joined(separator: "\n").utf8.count)
        func file(_ stanza: String, _ body: String) -> [UInt8] {
            Array("\(lines[0])\n-> \(stanza)\n\(body)".utf8) + rest
        }
        #expect(try opened(file("ssh-rsa \(tag)", body), with: [identity]) == [1, 2, 3])
        for malformed in [
            file("ssh-rsa", body), file("ssh-rsa \(tag) x", body), file("ssh-rsa \(tag)", ""),
            file("ssh-rsa \(tag)", String(lines[2]) + "\n"), file("ssh-rsa \(tag)", "\(lines[2])\n\(body)"),
        ] {
            #expect(throws: AgeError.malformedHeader(line: 2, .invalidSSHRSA)) {
                try opened(malformed, with: [identity])
            }
        }
        let swapped = ([lines[3], lines[2]] + lines[4..<8]).joined(separator: "\n")
        for foreign in [
            file("ssh-rsa AAAAAA", body), file("ssh-rsa \(tag)", swapped), file("SSH-RSA \(tag)", body),
            file("ssh-rsa AAAAAA", ""),
        ] {
            #expect(throws: AgeError.noIdentityMatches) { try opened(foreign, with: [identity]) }
        }
        // Each that is tried takes its time.
        let tries = String(repeating: "\n-> ssh-rsa \(tag)\n\(swapped)", count: 17)
        let tried = Array("\(lines[0])\(tries)".utf8) + rest
        #expect(throws: AgeError.malformedHeader(line: 2 + 16 * 7, .tooManyStanzas)) {
            try opened(tried, with: [identity])
        }
    }

    @Test("Public lines that are something else are refused, with what they are")
    func publicLines() throws {
        let words = try publicLine("key").split(separator: " ")
        let recipient = try AgeSSHRSARecipient(words.joined(separator: " "))
        for text in ["ssh-rsa \(words[1])", " ssh-rsa\t\(words[1])  and more words"] {
            #expect(try AgeSSHRSARecipient(text) == recipient)
        }
        for (text, defect) in [
            ("", AgeKeyDefect.unknownKind), ("ssh-ed25519 AAAA", .unknownKind), ("ssh-rsa", .malformedSSHKey),
            ("ssh-rsa AAAA", .malformedSSHKey), ("ssh-rsa \(words[1].dropLast(4))", .malformedSSHKey),
            ("ssh-rsa \(words[1])AAAA", .malformedSSHKey), ("ssh-rsa \(words[1])=", .malformedSSHKey),
        ] {
            #expect(throws: defect, "\(text)") { try AgeSSHRSARecipient(text) }
        }
        let bytes = try #require(Data(base64Encoded: String(words[1]))).map { $0 }
        for count in 0..<bytes.count {
            let text = "ssh-rsa " + Data(bytes[..<count]).base64EncodedString()
            #expect(throws: AgeKeyDefect.self, "\(count)") { try AgeSSHRSARecipient(text) }
        }
    }

    /// What stands in base64 in the private key file.
    private func privateBytes(_ name: String) throws -> [UInt8] {
        let text = try String(contentsOfFile: folder.file(name), encoding: .utf8)
        let body = text.split(separator: "\n").dropFirst().dropLast().joined()
        return try #require(Data(base64Encoded: body)).map { $0 }
    }

    private func accepted(_ bytes: [UInt8]) -> AgeSSHRSAIdentity? {
        let text = SSHKeyFile(Curve25519.Signing.PrivateKey()).text(of: bytes)
        return (try? AgeKeyFile.identities(in: secret(text)))?.first as? AgeSSHRSAIdentity
    }

    @Test("Cut at any byte, a private key file is refused")
    func cuts() throws {
        let bytes = try privateBytes("key")
        #expect(accepted(bytes) != nil)
        for count in bytes.indices { #expect(accepted(Array(bytes[..<count])) == nil, "\(count)") }
        #expect(accepted(bytes + [0]) == nil)
    }

    @Test("One bit changed, a private key file is refused or, in what nobody needs, the same key")
    func flips() throws {
        let bytes = try privateBytes("key")
        let expected = try identity("key").recipient
        var random = Seed.generator(for: "flip an RSA key of SSH")
        for place in stride(from: 0, to: bytes.count, by: Count.of(few: 7, full: 1)) {
            var changed = bytes
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            if let identity = accepted(changed) { #expect(identity.recipient == expected, "\(place)") }
        }
    }

    @Test("Keys that are not taken are refused, with what can be done")
    func refusals() throws {
        try keygen("short", "-t", "rsa", "-b", "1024", "-N", "")
        #expect(throws: AgeKeyError.unusableFile(.rsaKeySize)) { try AgeKeyFile.identities(at: folder.file("short")) }
        let line = AgeKeyError.unusableLine(1, .rsaKeySize)
        #expect(throws: line) { try AgeKeyFile.recipients(at: folder.file("short.pub")) }
        try keygen("locked", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "secret")
        #expect(throws: AgeKeyError.unusableFile(.encryptedPEMKey)) {
            try AgeKeyFile.identities(at: folder.file("locked"))
        }
        #expect("\(AgeKeyDefect.encryptedPEMKey)".contains("ssh-keygen -p -f FILE"))
        try keygen("curve", "-t", "ecdsa", "-m", "PKCS8", "-N", "")
        #expect(throws: AgeKeyError.unusableFile(.otherPrivateKeyFile)) {
            try AgeKeyFile.identities(at: folder.file("curve"))
        }
    }

    @Test(
        "Both directions with age, in each form of the private key that it reads",
        .enabled(if: ageIsExpected),
        arguments: [("RFC4716", "2048"), ("PEM", "2048"), ("PKCS8", "2048"), ("RFC4716", "3072")]
    )
    func age(_ form: String, _ bits: String) throws {
        try keygen("other", "-t", "rsa", "-b", bits, "-m", form, "-N", "")
        try WholeFile.write(Array("a short text".utf8).span, to: folder.file("plain"))
        let arguments = ["-R", folder.file("other.pub"), "-o", folder.file("theirs"), folder.file("plain")]
        let sealed = try Program.run("age", arguments)
        try #require(sealed.status == 0, "\(sealed)")
        try AgeFile.decrypt(folder.file("theirs"), to: folder.file("out"), identities: [identity("other")])
        #expect(try WholeFile.read(folder.file("out"), limit: 100) == Array("a short text".utf8))

        let recipients = try AgeKeyFile.recipients(at: folder.file("other.pub"))
        try AgeFile.encrypt(
            folder.file("plain"),
            to: folder.file("ours"),
            recipients: [AgeX25519Identity().recipient] + recipients,
            armored: true
        )
        let opened = try Program.run("age", ["-d", "-i", folder.file("other"), folder.file("ours")])
        #expect(opened.status == 0 && opened.output == "a short text", "\(opened)")
    }

    @Test("A key under a passphrase, with a file that age wrote", .enabled(if: ageIsExpected))
    func underAPassphrase() throws {
        try keygen("locked", "-t", "rsa", "-b", "2048", "-N", "correct horse", "-a", "2")
        let arguments = ["-R", folder.file("locked.pub"), "-o", folder.file("file")]
        let sealed = try Program.run("age", arguments, input: "a short text")
        try #require(sealed.status == 0, "\(sealed)")
        func open(_ passphrase: String) throws -> [UInt8] {
            let questions = AgeKeyQuestions { _ in secret(passphrase) }
            let keys = try AgeKeyFile.identities(at: folder.file("locked"), questions: questions)
            try AgeFile.decrypt(folder.file("file"), to: folder.file("out"), identities: keys)
            return try WholeFile.read(folder.file("out"), limit: 100)
        }
        #expect(try open("correct horse") == Array("a short text".utf8))
        #expect(throws: AgeError.lockedKey(file: folder.file("locked"), .wrongPassphrase)) { try open("wrong") }
    }
}
