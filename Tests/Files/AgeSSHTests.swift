import Foundation
import MildamCrypto
import MildamFiles
import TestSupport
import Testing

@Suite("age: the ssh-ed25519 recipient type")
struct AgeSSHTests {
    private let keyFile = SSHKeyFile(Curve25519.Signing.PrivateKey())

    private func identity(_ file: SSHKeyFile) throws(AgeKeyDefect) -> AgeSSHIdentity {
        try AgeSSHIdentity(privateKeyFile: secret(file.text))
    }

    /// The file with one part changed.
    private func changed(_ change: (inout SSHKeyFile) -> Void) -> SSHKeyFile {
        var file = keyFile
        change(&file)
        return file
    }

    @Test("A key opens what was written for its public line, and no other does")
    func roundTrip() throws {
        let identity = try identity(keyFile)
        let recipient = try AgeSSHRecipient(keyFile.publicLine)
        #expect(identity.recipient == recipient)
        #expect(keyFile.publicLine == "\(recipient) \(keyFile.comment)")
        let file = try sealed([1, 2, 3], for: [AgeX25519Identity().recipient, recipient])
        #expect(try opened(file, with: [identity]) == [1, 2, 3])
        let other = try self.identity(SSHKeyFile(Curve25519.Signing.PrivateKey()))
        #expect(throws: AgeError.noIdentityMatches) { try opened(file, with: [other]) }
        #expect(try opened(file, with: [other, identity]) == [1, 2, 3])
        let stanza = try header(of: file).header.stanzas[1]
        #expect(stanza.arguments.count == 3 && stanza.arguments[0] == "ssh-ed25519" && stanza.body.count == 32)
    }

    @Test("A stanza that breaks the rules makes a malformed header; one that is for somebody else does not")
    func stanzas() throws {
        let identity = try identity(keyFile)
        let made = try sealed([1, 2, 3], for: [identity.recipient])
        let lines = String(decoding: made.prefix(200), as: UTF8.self).split(separator: "\n")
        let (tag, share) = (lines[1].split(separator: " ")[2], lines[1].split(separator: " ")[3])
        let rest = made.dropFirst(lines[..<3].joined(separator: "\n").utf8.count)
        func file(_ stanza: String, _ body: String? = nil) -> [UInt8] {
            Array("\(lines[0])\n-> \(stanza)\n\(body ?? String(lines[2]))".utf8) + rest
        }
        #expect(try opened(file("ssh-ed25519 \(tag) \(share)"), with: [identity]) == [1, 2, 3])
        let zero = String(repeating: "A", count: 43)
        for malformed in [
            file("ssh-ed25519"), file("ssh-ed25519 \(tag)"), file("ssh-ed25519 \(share)"),
            file("ssh-ed25519 \(tag) \(share) x"), file("ssh-ed25519 \(tag) \(share)="),
            file("ssh-ed25519 \(tag) \(share.dropLast(3))"), file("ssh-ed25519 \(tag) \(zero)"),
            file("ssh-ed25519 \(tag) \(share)", ""), file("ssh-ed25519 \(tag) \(share)", "AAAA"),
            file("ssh-ed25519 \(tag) \(share)", "\(lines[2])A"),
        ] {
            #expect(throws: AgeError.malformedHeader(line: 2, .invalidSSH)) { try opened(malformed, with: [identity]) }
        }
        for foreign in [
            file("ssh-ed25519 AAAAAA \(share)"), file("ssh-ed25519 \(tag) \(share)", zero),
            file("ssh-rsa \(tag)", String(lines[2])), file("SSH-ED25519 \(tag) \(share)"),
        ] {
            #expect(throws: AgeError.noIdentityMatches) { try opened(foreign, with: [identity]) }
        }
    }

    @Test("Public lines with several spaces, tabs, and no comment are read")
    func publicLines() throws {
        let line = keyFile.publicLine
        let words = line.split(separator: " ")
        let recipient = try AgeSSHRecipient(line)
        for text in [
            "\(words[0]) \(words[1])", "\(words[0])\t \(words[1])\t", " \(line)", "\(line) and more words",
        ] {
            #expect(try AgeSSHRecipient(text) == recipient)
        }
    }

    @Test("Public lines that are something else are refused, with what they are")
    func publicLineRefusals() throws {
        let coded = Data(keyFile.bytes).base64EncodedString()
        let key = keyFile.publicLine.split(separator: " ")[1]
        func line(_ change: (inout SSHKeyFile) -> Void) -> String { changed(change).publicLine }
        // The neutral element, and a point of order 8: whatever is agreed with them is known to everybody.
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let offCurve = [2] + [UInt8](repeating: 0, count: 31)
        for (text, defect) in [
            ("", AgeKeyDefect.unknownKind), ("ssh", .unknownKind), ("AGE-SECRET-KEY-1", .unknownKind),
            ("no-pty \(keyFile.publicLine)", .unknownKind), ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB", .rsaKey),
            ("ssh-dss AAAA", .unsupportedSSHKey), ("ecdsa-sha2-nistp256 AAAA", .unsupportedSSHKey),
            ("sk-ssh-ed25519@openssh.com AAAA", .unsupportedSSHKey), ("ssh-ed25519", .malformedSSHKey),
            ("ssh-ed25519 ", .malformedSSHKey), ("ssh-ed25519 \(key.dropLast(4))", .malformedSSHKey),
            ("ssh-ed25519 \(key)=", .malformedSSHKey), ("ssh-ed25519 \(key)AAAA", .malformedSSHKey),
            ("ssh-ed25519 \(coded)", .malformedSSHKey), (line { $0.outerType = "ssh-rsa" }, .rsaKey),
            (line { $0.outerType = "ssh-ed25518" }, .unsupportedSSHKey),
            (line { $0.outerRest = [0] }, .malformedSSHKey),
            (line { $0.outerKey.removeLast() }, .malformedSSHKey), (line { $0.outerKey.append(0) }, .malformedSSHKey),
            (line { $0.outerKey = neutral }, .malformedSSHKey), (line { $0.outerKey = offCurve }, .malformedSSHKey),
        ] {
            #expect(throws: defect, "\(text)") { try AgeSSHRecipient(text) }
        }
    }

    @Test("Comments of every length, and so every padding, are read", arguments: 0...16)
    func comments(_ count: Int) throws {
        let file = changed { $0.comment = String(repeating: "c", count: count) }
        #expect(try identity(file).recipient.description == AgeSSHRecipient(file.publicLine).description)
    }

    @Test("Every part of a private key file is checked")
    func malformed() throws {
        let other = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let changes: [(AgeKeyDefect, (inout SSHKeyFile) -> Void)] = [
            (.malformedSSHKey, { $0.magic = "openssh-key-v2\0" }), (.malformedSSHKey, { $0.magic = "openssh-key-v1" }),
            (.encryptedSSHKey, { $0.lock("secret") }), (.malformedSSHKey, { $0.derivation = "bcrypt" }),
            (.malformedSSHKey, { $0.cipher = "aes256-ctr" }),
            (.malformedSSHKey, { $0.options = [0] }), (.malformedSSHKey, { $0.count = 0 }),
            (.malformedSSHKey, { $0.count = 2 }), (.malformedSSHKey, { $0.outerType = "ssh-rsa" }),
            (.unsupportedSSHKey, { $0.outerType = "ssh-ed448" }), (.malformedSSHKey, { $0.outerKey = other }),
            (.malformedSSHKey, { $0.outerRest = [0] }), (.malformedSSHKey, { $0.checks.1 += 1 }),
            (.malformedSSHKey, { $0.innerType = "ssh-ed448" }), (.malformedSSHKey, { $0.innerKey = other }),
            (.malformedSSHKey, { $0.innerKey.removeLast() }), (.malformedSSHKey, { $0.seed = other }),
            (.malformedSSHKey, { $0.seed.removeLast() }), (.malformedSSHKey, { $0.keyBehindSeed = other }),
            (.malformedSSHKey, { $0.trailing = [0] }),
            (.malformedSSHKey, { $0.end = "" }), (.malformedSSHKey, { $0.end += "x\n" }),
            (.malformedSSHKey, { $0.end = "-----END PRIVATE KEY-----\n" }),
            (.otherPrivateKeyFile, { $0.begin = "-----BEGIN PRIVATE KEY-----\n" }),
            (.otherPrivateKeyFile, { $0.begin = "x" + $0.begin }),
            (.rsaKey, { $0.begin = "-----BEGIN RSA PRIVATE KEY-----\n" }),
            (.malformedSSHKey, { $0.begin += "*" }), (.malformedSSHKey, { $0.begin += "AAAA\n" }),
            // Behind a comment of 21 characters there is no padding, behind one of 20 a byte.
            (.malformedSSHKey, { ($0.comment, $0.padding) = (String(repeating: "c", count: 21), [1]) }),
            (.malformedSSHKey, { ($0.comment, $0.padding) = (String(repeating: "c", count: 21), Array(1...8)) }),
            (.malformedSSHKey, { ($0.comment, $0.padding) = (String(repeating: "c", count: 20), []) }),
            (.malformedSSHKey, { ($0.comment, $0.padding) = (String(repeating: "c", count: 20), [2]) }),
            (.malformedSSHKey, { ($0.comment, $0.padding) = (String(repeating: "c", count: 19), [1, 1]) }),
        ]
        for (number, (defect, change)) in changes.enumerated() {
            let file = changed(change)
            #expect(throws: defect, "change \(number)") { try identity(file) }
        }
        let large = changed { $0.comment = String(repeating: "c", count: 16_384) }
        #expect(throws: AgeKeyDefect.malformedSSHKey) { try identity(large) }
    }

    @Test("Lines may end with CR LF and be of any length, and empty ones stand between them")
    func lines() throws {
        let expected = try identity(keyFile).recipient
        let text = keyFile.text
        let oneLine = keyFile.begin + Data(keyFile.bytes).base64EncodedString() + "\n" + keyFile.end
        for form in [
            text.replacingOccurrences(of: "\n", with: "\r\n"), text + "\n\r\n", String(text.dropLast()), oneLine,
            text.replacingOccurrences(of: "\n", with: "\n\n"),
        ] {
            #expect(try AgeSSHIdentity(privateKeyFile: secret(form)).recipient == expected)
        }
    }

    @Test("Cut at any byte but the last line feed, a private key file is refused")
    func cuts() throws {
        let text = Array(keyFile.text.utf8)
        for count in 0..<text.count - 1 {
            #expect(throws: AgeKeyDefect.self) {
                try AgeSSHIdentity(privateKeyFile: SecretBytes(copying: text[..<count]))
            }
        }
    }

    @Test("One bit changed anywhere, a private key file is refused or, in its comment, the same key")
    func flips() throws {
        let text = Array(keyFile.text.utf8)
        let expected = try identity(keyFile).recipient
        var accepted = 0
        for position in text.indices {
            for bit in 0..<8 {
                var changed = text
                changed[position] ^= 1 << bit
                guard let identity = try? AgeSSHIdentity(privateKeyFile: SecretBytes(copying: changed.span)) else {
                    continue
                }
                #expect(identity.recipient == expected)
                accepted += 1
            }
        }
        // 18 characters of comment take 24 of base64, of whose 192 flips only those within the alphabet are read; the
        // two check numbers are compared with each other, so that no single flip there is.
        #expect(accepted > 0 && accepted < 192)
    }

    @Test("Nothing that describes an identity or an error shows the secret")
    func descriptions() throws {
        let identity = try identity(keyFile)
        let coded = Data(keyFile.seed).base64EncodedString().prefix(12)
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped] { #expect(!text.contains(coded)) }
        #expect("\(identity)" == "AgeSSHIdentity for \(identity.recipient)")
        #expect("\(AgeKeyDefect.unsupportedSSHCipher)".contains("ssh-keygen -p -Z aes256-ctr -f FILE"))
        #expect("\(AgeKeyDefect.rsaKeySize)".contains("2048 to 16384 bits"))
    }
}
