import Foundation
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite("age: files of keys under a passphrase")
struct AgeLockedKeyTests {
    private let identity = AgeX25519Identity()
    private let sshKey: SSHKeyFile

    init() {
        var file = SSHKeyFile(Curve25519.Signing.PrivateKey())
        file.lock("pass")
        sshKey = file
    }

    /// Who is asked, and for what.
    private final class Asked: Sendable {
        private let passphrase: String
        private let files = Lock<[String]>([])

        init(_ passphrase: String) { self.passphrase = passphrase }

        var questions: AgeKeyQuestions {
            AgeKeyQuestions { [self] file in
                files.withLock { $0.append(file) }
                return secret(passphrase)
            }
        }

        var names: [String] { files.withLock { $0 } }
    }

    /// An age file under "pass", with as little work as there is.
    private func locked(_ text: String) throws -> [UInt8] {
        try sealed(
            Array(text.utf8),
            for: [AgeScryptRecipient(passphrase: secret("pass"), workFactor: 1)]
        )
    }

    private func identities(_ file: [UInt8], _ asked: Asked) throws -> [any AgeIdentity] {
        try AgeKeyFile.identities(in: SecretBytes(copying: file.span), named: "key", questions: asked.questions)
    }

    private func refusal(_ lock: AgeKeyLock) -> AgeError { .lockedKey(file: "key", lock) }

    @Test("A file of age keys is opened once, where a file for keys is to be opened", arguments: [false, true])
    func ageKeys(_ isArmored: Bool) throws {
        let binary = try locked("# mine\n\(identity.secretText)\n")
        let asked = Asked("pass")
        let keys = try identities(isArmored ? armored(binary) : binary, asked)
        #expect(asked.names.isEmpty)
        for content: [UInt8] in [[1, 2, 3], []] {
            #expect(try opened(sealed(content, for: [identity.recipient]), with: keys) == content)
        }
        #expect(throws: AgeError.noIdentityMatches) {
            try opened(sealed([1], for: [AgeX25519Identity().recipient]), with: keys)
        }
        #expect(throws: AgeError.noIdentityMatches) { try opened(locked("x"), with: keys) }
        #expect(asked.names == ["key"])
    }

    @Test("Without the passphrase, an error says whose it is and why")
    func refusals() throws {
        let file = try sealed([1], for: [identity.recipient])
        let key = try locked(identity.secretText)
        for wrong in ["other", ""] {
            let asked = Asked(wrong)
            let keys = try identities(key, asked)
            for _ in 0..<2 { #expect(throws: refusal(.wrongPassphrase)) { try opened(file, with: keys) } }
            #expect(asked.names.count == 2, "a wrong one is asked for again")
        }
        let unasked = try AgeKeyFile.identities(in: SecretBytes(copying: key.span), named: "key")
        #expect(throws: refusal(.noPassphrase(reason: "there is nobody to ask for it"))) {
            try opened(file, with: unasked)
        }
        #expect(throws: refusal(.unusable(.unusableLine(1, .unknownKind)))) {
            try opened(file, with: identities(locked("hello"), Asked("pass")))
        }
        let costly = String(decoding: key.prefix(64), as: UTF8.self).replacing(" 1\n", with: " 23\n")
        #expect(throws: refusal(.tooCostly)) {
            try opened(file, with: identities(Array(costly.utf8) + key.dropFirst(64), Asked("pass")))
        }
        #expect("\(refusal(.wrongPassphrase))" == "key: wrong passphrase")
    }

    @Test("A key behind one that stays locked opens the file all the same; where none does, the first lock is told")
    func theNextOneIsTried() throws {
        let other = AgeX25519Identity()
        let file = try sealed([1], for: [identity.recipient, other.recipient])
        let key = try locked(identity.secretText)
        let unasked = try AgeKeyFile.identities(in: SecretBytes(copying: key.span), named: "key")
        let wrong = try identities(key, Asked("other"))
        #expect(try opened(file, with: unasked + [other]) == [1])
        #expect(try opened(file, with: wrong + unasked + [other]) == [1])
        let stranger = AgeX25519Identity()
        #expect(throws: refusal(.wrongPassphrase)) { try opened(file, with: wrong + unasked + [stranger]) }
    }

    @Test("Cut at any byte, or with one bit changed, a file of age keys opens nothing")
    func damage() throws {
        let file = try sealed([1], for: [identity.recipient])
        let key = try locked(identity.secretText)
        for count in key.indices {
            #expect(throws: (any Error).self) {
                try opened(file, with: identities(Array(key[..<count]), Asked("pass")))
            }
        }
        for position in key.indices {
            for bit in 0..<8 {
                var changed = key
                changed[position] ^= 1 << bit
                #expect(throws: (any Error).self) { try opened(file, with: identities(changed, Asked("pass"))) }
            }
        }
    }

    @Test(
        "An SSH key asks where a file is for it, and once",
        arguments: Cases.drawn(
            2,
            of: ["aes128-ctr", "aes192-ctr", "aes256-ctr", "aes128-cbc", "aes192-cbc", "aes256-cbc"],
            for: "ciphers of locked keys"
        )
    )
    func ssh(_ cipher: String) throws {
        var key = sshKey
        key.lock("pass", cipher: cipher)
        let asked = Asked("pass")
        let keys = try identities(Array(key.text.utf8), asked)
        #expect(throws: AgeError.noIdentityMatches) {
            try opened(sealed([1], for: [identity.recipient]), with: keys)
        }
        #expect(asked.names.isEmpty, "the file is for somebody else")
        let file = try sealed([1, 2, 3], for: [identity.recipient, AgeSSHRecipient(key.publicLine)])
        for _ in 0..<2 { #expect(try opened(file, with: keys) == [1, 2, 3]) }
        #expect(asked.names == ["key"])
        for wrong in ["other", ""] {
            #expect(throws: refusal(.wrongPassphrase)) {
                try opened(file, with: identities(Array(key.text.utf8), Asked(wrong)))
            }
        }
    }

    @Test("Every part of how an SSH key is locked is checked before it is opened")
    func sshLocks() throws {
        let changes: [(AgeKeyDefect, (inout SSHKeyFile) -> Void)] = [
            (.unsupportedSSHCipher, { $0.cipher = "aes256-gcm@openssh.com" }),
            (.unsupportedSSHCipher, { $0.cipher = "chacha20-poly1305@openssh.com" }),
            (.unsupportedSSHCipher, { $0.derivation = "scrypt" }), (.malformedSSHKey, { $0.derivation = "none" }),
            (.malformedSSHKey, { $0.cipher = "none" }), (.malformedSSHKey, { $0.options = [] }),
            (.malformedSSHKey, { $0.options.append(0) }), (.malformedSSHKey, { $0.options[3] = 0 }),
            (.malformedSSHKey, { $0.options = $0.lockOptions(rounds: 0) }),
            (.costlySSHKey, { $0.options = $0.lockOptions(rounds: 2049) }),
            (.costlySSHKey, { $0.options = $0.lockOptions(rounds: .max) }),
        ]
        for (number, (defect, change)) in changes.enumerated() {
            var file = sshKey
            change(&file)
            #expect(throws: AgeKeyError.unusableFile(defect), "change \(number)") {
                try identities(Array(file.text.utf8), Asked("pass"))
            }
        }
    }

    @Test("Cut at any byte, an SSH key under a passphrase is refused")
    func sshCuts() throws {
        let bytes = sshKey.bytes
        for count in bytes.indices {
            let text = sshKey.text(of: Array(bytes[..<count]))
            #expect(throws: AgeKeyError.self) { try identities(Array(text.utf8), Asked("pass")) }
        }
    }

    /// Of a cipher without authentication a bit of the comment may be another. Any other is found.
    @Test("One bit changed, an SSH key under a passphrase opens nothing, or is the same key")
    func sshFlips() throws {
        let file = try sealed([1, 2, 3], for: [AgeSSHRecipient(sshKey.publicLine)])
        let bytes = sshKey.bytes
        // More rounds are only more work.
        let options = try #require(bytes.firstRange(of: sshKey.options))
        let rounds = options.upperBound - 4..<options.upperBound
        var generator = Seed.generator(for: "locked SSH keys")
        for _ in 0..<Count.of(few: 30, full: 600) {
            let position = Int.random(in: bytes.indices, using: &generator)
            guard !rounds.contains(position) else { continue }
            var changed = bytes
            changed[position] ^= 1 << Int.random(in: 0..<8, using: &generator)
            let text = sshKey.text(of: changed)
            guard let keys = try? identities(Array(text.utf8), Asked("pass")) else { continue }
            do {
                #expect(try opened(file, with: keys) == [1, 2, 3])
            } catch {
                #expect([refusal(.wrongPassphrase), refusal(.damaged), .noIdentityMatches].contains(error))
            }
        }
    }
}
