import Foundation
import Glibc
import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamFiles

/// What is left in memory of keys that were read from files.
@Suite(
    "Wiped memory: files of keys",
    .serialized,
    .disabled(if: Sanitizer.isOn, "a sanitizer keeps freed memory, and shadows terabytes of it")
)
struct AgeKeyWipeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func masked(_ bytes: Span<UInt8>) -> MaskedSecret {
        unsafe bytes.withUnsafeBytes { unsafe MaskedSecret($0) }
    }

    /// How many traces there are of the secrets: their bytes, and the text that stands for them.
    private func traces(of secrets: [MaskedSecret]) throws -> Int {
        try ProcessMemory.occurrences(of: secrets.map(\.bytes)).reduce(0, +)
    }

    /// Writes a new key file, and lets go of the key.
    private func writeAgeKey() throws -> [MaskedSecret] {
        let text = AgeKeyFile.text(of: AgeX25519Identity(), created: 0)
        try WholeFile.write(text.span, to: folder.file("key"))
        // The line feed and the checksum end it; before them there are 52 characters of key.
        return [masked(text.span.extracting(text.count - 59..<text.count - 7))]
    }

    @Test("An age key leaves no trace once it is let go of: not its bytes, nor its text, nor the file")
    func ageKey() throws {
        let text = try writeAgeKey()
        #expect(try traces(of: text) == 0)
        let key = try useAgeKey(text)
        #expect(try traces(of: text + key) == 0)
    }

    private func useAgeKey(_ coded: [MaskedSecret]) throws -> [MaskedSecret] {
        let identities = try AgeKeyFile.identities(at: folder.file("key"))
        guard let identity = identities.first as? AgeX25519Identity else {
            throw AgeKeyError.noKeys
        }
        #expect(try traces(of: coded) == 0)
        let file = try sealed([1, 2, 3], for: [identity.recipient])
        #expect(try opened(file, with: [identity]) == [1, 2, 3])
        let text = identity.secretTextBytes
        let key = try unsafe text.withUnsafeBytes { (text) throws(WireError) in
            try unsafe SecretBytes(count: 32) { (memory) throws(WireError) in
                var key = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
                try unsafe Bech32.decode(ascii: text, prefix: AgeX25519Identity.prefix, into: &key)
            }
        }
        return [masked(key.span)]
    }

    @Test(
        "An SSH key leaves no trace once it is let go of",
        .enabled(if: Program.areExpected(["ssh-keygen"], from: "openssh-client"))
    )
    func sshKey() throws {
        let run = try Program.run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder.file("key")])
        try #require(run.status == 0, "\(run)")
        let secrets = try lookAtSSHKey()
        #expect(try traces(of: secrets) == 0)
        try useSSHKey()
        #expect(try traces(of: secrets) == 0)
    }

    /// The seed, and the characters in the file that stand for it.
    private func lookAtSSHKey() throws -> [MaskedSecret] {
        let file = try Descriptor.open(folder.file("key"), O_RDONLY)
        guard let text = try SecretBytes.reading(file, limit: 1 << 14) else { throw AgeKeyError.tooLarge }
        let bytes = try OpenSSHText.decode(text.span)
        // 161 bytes stand before the seed: 215 characters in lines of 70, behind a first line of 36.
        return [masked(bytes.span.extracting(161..<193)), masked(text.span.extracting(254..<286))]
    }

    @Test(
        "An RSA key of SSH leaves no trace once it is let go of",
        .enabled(if: Program.areExpected(["ssh-keygen"], from: "openssh-client"))
    )
    func rsaKey() throws {
        let options = ["-q", "-t", "rsa", "-b", "2048", "-N", "", "-C", "", "-f", folder.file("key")]
        let run = try Program.run("ssh-keygen", options)
        try #require(run.status == 0, "\(run)")
        let secrets = try lookAtRSAKey()
        #expect(try traces(of: secrets) == 0)
        try useRSAKey()
        #expect(try traces(of: secrets) == 0)
    }

    /// A part of the private exponent, and a line in the file that stands for another.
    private func lookAtRSAKey() throws -> [MaskedSecret] {
        let file = try Descriptor.open(folder.file("key"), O_RDONLY)
        guard let text = try SecretBytes.reading(file, limit: 1 << 14) else { throw AgeKeyError.tooLarge }
        let bytes = try OpenSSHText.decode(text.span)
        let envelope = try OpenSSHEnvelope(bytes.span)
        // Before it there are the check numbers, the type, the modulus, the exponent, and its own length.
        let start = envelope.privatePart.lowerBound + 8 + 11 + 261 + 7 + 4 + 8
        // Lines have 70 characters, behind a first one of 36 with its end: the next that begins after that.
        let line = 36 + (start * 4 / 3 / 70 + 1) * 71
        return [masked(bytes.span.extracting(start..<start + 32)), masked(text.span.extracting(line..<line + 40))]
    }

    private func useRSAKey() throws {
        let identities = try AgeKeyFile.identities(at: folder.file("key"))
        guard let identity = identities.first as? AgeSSHRSAIdentity else { throw AgeKeyError.noKeys }
        let file = try sealed([1, 2, 3], for: [identity.recipient])
        #expect(try opened(file, with: [identity]) == [1, 2, 3])
    }

    @Test(
        "An SSH key under a passphrase leaves no trace once it is let go of",
        .enabled(if: Program.areExpected(["ssh-keygen"], from: "openssh-client"))
    )
    func lockedSSHKey() throws {
        let arguments = ["-q", "-t", "ed25519", "-N", "", "-C", "a comment", "-f", folder.file("key")]
        let made = try Program.run("ssh-keygen", arguments)
        try #require(made.status == 0, "\(made)")
        let secrets = try lookAtSSHKey()
        let line = try String(contentsOfFile: folder.file("key.pub"), encoding: .utf8)
        let options = ["-P", "", "-N", "secret", "-a", "1"]
        let locked = try Program.run("ssh-keygen", ["-p", "-f", folder.file("key")] + options)
        try #require(locked.status == 0, "\(locked)")
        try useLockedKey("key", for: AgeSSHRecipient(line.split(separator: "\n")[0]))
        #expect(try traces(of: secrets) == 0)
    }

    /// Opens a file with a key whose passphrase is "secret".
    private func useLockedKey(_ name: String, for recipient: any AgeRecipient) throws {
        let questions = AgeKeyQuestions { _ in secret("secret") }
        let identities = try AgeKeyFile.identities(at: folder.file(name), questions: questions)
        let file = try sealed([1, 2, 3], for: [recipient])
        #expect(try opened(file, with: identities) == [1, 2, 3])
    }

    @Test(
        "A file of age keys under a passphrase leaves no trace once it is let go of",
        .enabled(if: ageIsExpected && Program.areExpected(["script"], from: "bsdutils"))
    )
    func lockedAgeKey() throws {
        let run = try Program.run("age-keygen", ["-o", folder.file("key")])
        try #require(run.status == 0, "\(run)")
        let recipient = try #require(run.errors.split(separator: " ").last.map { String($0.filter { $0 != "\n" }) })
        let locked = try Program.run(
            "timeout",
            ["60", "script", "-qec", "age -p -o \(folder.file("key.age")) \(folder.file("key"))", "/dev/null"],
            input: "secret\nsecret\n"
        )
        try #require(locked.status == 0, "\(locked)")
        let secrets = try lookAtAgeKey()
        try useLockedKey("key.age", for: AgeX25519Recipient(recipient))
        #expect(try traces(of: secrets) == 0)
    }

    /// The characters of the key's line that stand for it.
    private func lookAtAgeKey() throws -> [MaskedSecret] {
        let file = try Descriptor.open(folder.file("key"), O_RDONLY)
        guard let text = try SecretBytes.reading(file, limit: 1 << 14) else { throw AgeKeyError.tooLarge }
        return [masked(text.span.extracting(text.count - 59..<text.count - 7))]
    }

    private func useSSHKey() throws {
        let identities = try AgeKeyFile.identities(at: folder.file("key"))
        guard let identity = identities.first as? AgeSSHIdentity else { throw AgeKeyError.noKeys }
        let file = try sealed([1, 2, 3], for: [identity.recipient])
        #expect(try opened(file, with: [identity]) == [1, 2, 3])
    }
}
