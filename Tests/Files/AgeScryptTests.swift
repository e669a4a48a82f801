import Foundation
import MildamCrypto
import MildamFiles
import TestSupport
import Testing

@Suite("age: the scrypt recipient type")
struct AgeScryptTests {
    private func recipient(_ passphrase: String, workFactor: Int = 1) throws -> AgeScryptRecipient {
        try AgeScryptRecipient(passphrase: secret(passphrase), workFactor: workFactor)
    }

    private func identity(_ passphrase: String, limit: Int = 22) throws -> AgeScryptIdentity {
        try AgeScryptIdentity(passphrase: secret(passphrase), maximumWorkFactor: limit)
    }

    /// A file that its passphrase "pass" opens with little work, with another stanza in its header.
    private func file(_ stanza: (_ salt: String, _ body: String) -> String) throws -> [UInt8] {
        let made = try sealed([1, 2, 3], for: [recipient("pass")])
        let stanzaOfMade = try header(of: made).header.stanzas[0]
        let lines = String(decoding: made.prefix(120), as: UTF8.self).split(separator: "\n")
        let start = "\(lines[0])\n\(lines[1])\n\(lines[2])\n"
        let new = "\(lines[0])\n" + stanza(stanzaOfMade.arguments[1], String(lines[2]))
        return Array(new.utf8) + made.dropFirst(start.utf8.count)
    }

    @Test("A passphrase opens what was written for it, and no other does")
    func roundTrip() throws {
        for passphrase in ["p", "correct horse battery staple", "밀담 암호", String(repeating: "x", count: 5000)] {
            let file = try sealed([1, 2, 3], for: [recipient(passphrase)])
            #expect(try opened(file, with: [identity(passphrase)]) == [1, 2, 3])
            #expect(throws: AgeError.noIdentityMatches) { try opened(file, with: [identity(passphrase + " ")]) }
            #expect(try opened(file, with: [identity("other"), identity(passphrase)]) == [1, 2, 3])
        }
    }

    @Test("The stanza names the work factor that was asked for; by default it is 18, which the default limit opens")
    func workFactor() throws {
        for factor in [1, 9, 10, Count.of(few: 14, full: 20)] {
            let file = try sealed([1], for: [recipient("pass", workFactor: factor)])
            #expect(try header(of: file).header.stanzas[0].arguments[2] == "\(factor)")
            #expect(try opened(file, with: [identity("pass", limit: factor)]) == [1])
        }
        let file = try sealed([1], for: [AgeScryptRecipient(passphrase: secret("pass"))])
        #expect(try header(of: file).header.stanzas[0].arguments[2] == "18")
        #expect(try opened(file, with: [AgeScryptIdentity(passphrase: secret("pass"))]) == [1])
    }

    @Test("More work than is allowed is refused, with the factor and the limit, before it is begun")
    func workFactorLimit() throws {
        let file = try sealed([1], for: [recipient("pass", workFactor: 11)])
        #expect(throws: AgeError.workFactorTooHigh(11, limit: 10)) {
            try opened(file, with: [identity("pass", limit: 10)])
        }
        for factor in [23, 30, 31, 62, 64, 1_000_000_000_000_000_000] {
            let file = try self.file { "-> scrypt \($0) \(factor)\n\($1)\n" }
            #expect(throws: AgeError.workFactorTooHigh(factor, limit: 22)) {
                try opened(file, with: [AgeScryptIdentity(passphrase: secret("pass"))])
            }
        }
        let text = AgeError.workFactorTooHigh(23, limit: 22).description
        #expect(text.contains("23") && text.contains("22"))
    }

    @Test(
        "A stanza that breaks the rules makes a malformed header",
        arguments: [
            "-> scrypt SALT\nBODY\n", "-> scrypt\nBODY\n", "-> scrypt 1\nBODY\n", "-> scrypt SALT 1 1\nBODY\n",
            "-> scrypt 1 SALT\nBODY\n", "-> scrypt SALT 0\nBODY\n", "-> scrypt SALT 01\nBODY\n",
            "-> scrypt SALT +1\nBODY\n", "-> scrypt SALT -1\nBODY\n", "-> scrypt SALT 0x1\nBODY\n",
            "-> scrypt SALT 1x\nBODY\n", "-> scrypt SALT x1\nBODY\n", "-> scrypt SALT 1.0\nBODY\n",
            "-> scrypt SALT 9223372036854775808\nBODY\n", "-> scrypt SALT== 1\nBODY\n",
            "-> scrypt SALTAAA 1\nBODY\n", "-> scrypt AAAAAAAAAAAAAAAAAAAAAB 1\nBODY\n",
            "-> scrypt AAAAAAAAAAAAAAAAAAAA 1\nBODY\n", "-> scrypt SALT 1\n\n", "-> scrypt SALT 1\nAAAA\n",
            "-> scrypt SALT 1\nBODYA\n", "-> scrypt SALT 1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
        ]
    )
    func malformed(_ stanza: String) throws {
        let file = try file { salt, body in
            stanza.replacingOccurrences(of: "SALT", with: salt).replacingOccurrences(of: "BODY", with: body)
        }
        let identities = [try identity("pass")]
        #expect(throws: AgeError.malformedHeader(line: 2, .invalidScrypt)) { try opened(file, with: identities) }
    }

    @Test("The same file with its own stanza opens, so that the others fail for what they change")
    func wellFormed() throws {
        let file = try file { "-> scrypt \($0) 1\n\($1)\n" }
        #expect(try opened(file, with: [identity("pass")]) == [1, 2, 3])
    }

    @Test("A passphrase stands alone: beside any other recipient neither side accepts it")
    func alone() throws {
        let key = AgeX25519Identity()
        for recipients in [
            [try recipient("a"), key.recipient] as [any AgeRecipient], [key.recipient, try recipient("a")],
            [try recipient("a"), try recipient("b")],
        ] {
            #expect(throws: AgeError.recipientStandsAlone) { _ = try AgeEncryptor(recipients: recipients) }
        }
        let identities: [any AgeIdentity] = [key, try identity("pass")]
        for (line, stanzas) in [
            (4, { "-> scrypt \($0) 1\n\($1)\n-> grease\n\n" }), (4, { "-> grease\n\n-> scrypt \($0) 1\n\($1)\n" }),
            (4, { "-> scrypt \($0) 1\n\($1)\n-> scrypt \($0) 1\n\($1)\n" }),
        ] as [(Int, (String, String) -> String)] {
            let file = try file(stanzas)
            #expect(throws: AgeError.malformedHeader(line: line, .scryptNotAlone)) {
                try opened(file, with: identities)
            }
        }
    }

    @Test("One bit changed or one byte cut anywhere, nothing is opened")
    func damage() throws {
        let file = try sealed([1, 2, 3], for: [recipient("pass")])
        let identities = [try identity("pass", limit: 10)]
        for position in file.indices {
            #expect(throws: AgeError.self) { try opened(Array(file[..<position]), with: identities) }
            for bit in 0..<8 {
                var changed = file
                changed[position] ^= 1 << bit
                #expect(throws: AgeError.self) { try opened(changed, with: identities) }
            }
        }
    }

    @Test("An empty passphrase is none")
    func empty() {
        #expect(throws: AgeError.emptyPassphrase) { _ = try recipient("") }
        #expect(throws: AgeError.emptyPassphrase) { _ = try identity("") }
    }

    @Test("Nothing that describes either side shows the passphrase or its length")
    func descriptions() throws {
        for value in [try recipient("swordfish") as Any, try identity("swordfish")] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped, "\([value])"] {
                #expect(!text.contains("swordfish") && !text.contains("9") && !text.contains("72"))
            }
        }
    }
}

/// A passphrase, as it was typed.
func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }
