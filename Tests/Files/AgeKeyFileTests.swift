import Foundation
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamWire
import TestSupport
import Testing

@Suite("age: files of keys")
struct AgeKeyFileTests {
    private static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    private static let postQuantum = "AGE-SECRET-KEY-PQ-1XX76JRALNLXDMEW0CRK45QMCCH4X06SE84UN3VPM33W6HWDX0H3SK3ZQFR"
    private static let plugin = Bech32.encode([1, 2, 3, 4, 5], prefix: "AGE-PLUGIN-YUBI.KEY+1-")

    private let sshKey = SSHKeyFile(Curve25519.Signing.PrivateKey())

    /// What the identities are, in a word each: their recipient, or their plugin.
    private func identities(_ text: String) throws(AgeKeyError) -> [String] {
        try words(AgeKeyFile.identities(in: secret(text)))
    }

    private func words(_ identities: [any AgeIdentity]) -> [String] {
        identities.map { identity in
            switch identity {
            case let identity as AgeX25519Identity: "\(identity.recipient)"
            case let identity as AgeSSHIdentity: "\(identity.recipient)"
            case let identity as AgePluginIdentity: identity.name
            default: "\(identity)"
            }
        }
    }

    private func recipients(_ text: String) throws(AgeKeyError) -> [String] {
        try AgeKeyFile.recipients(in: Array(text.utf8).span).map { recipient in
            switch recipient {
            case let recipient as AgePluginRecipient: "plugin \(recipient)"
            default: "\(recipient)"
            }
        }
    }

    @Test("Keys, comments and empty lines, with either line end, and none at the end")
    func lines() throws {
        let text = "# created by hand\n\n\(Self.identity)\n#\n\(Self.plugin)\n\n\(Self.identity)"
        let expected = [Self.recipient, "yubi.key+1", Self.recipient]
        for form in [text, text + "\n", text.replacingOccurrences(of: "\n", with: "\r\n")] {
            #expect(try identities(form) == expected)
        }
        let publicText = "# friends\n\n\(Self.recipient)\n#\n\(sshKey.publicLine)\n"
        let publicKeys = [Self.recipient, try AgeSSHRecipient(sshKey.publicLine).description]
        for form in [
            publicText, String(publicText.dropLast()), publicText.replacingOccurrences(of: "\n", with: "\r\n"),
        ] {
            #expect(try recipients(form) == publicKeys)
        }
    }

    @Test("A plugin's keys are recognised and left to it")
    func plugins() throws {
        let text = Bech32.encode([1, 2], prefix: "age1name")
        #expect(try recipients(text) == ["plugin \(text)"])
        let identity = try AgePluginIdentity(secret(Self.plugin))
        #expect(unsafe identity.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } == Self.plugin)
        var dumped = ""
        dump(identity, to: &dumped)
        #expect("\(identity)" == "AgePluginIdentity of yubi.key+1" && !dumped.contains("AGE-PLUGIN"))
        for prefix in [
            "AGE-PLUGIN-", "AGE-PLUGIN--", "AGE-PLUGIN-A", "AGE-PLUGIN-A/B-", "AGE-PLUGIN-A:-", "age-plugin-a-",
        ] {
            #expect(throws: AgeKeyDefect.malformedAgeKey) {
                try AgePluginIdentity(secret(Bech32.encode([1, 2], prefix: prefix)))
            }
        }
        for end in Self.plugin.indices {
            #expect(throws: AgeKeyDefect.malformedAgeKey) { try AgePluginIdentity(secret(String(Self.plugin[..<end]))) }
        }
    }

    @Test("A private key file of SSH is an identity file of one")
    func ssh() throws {
        #expect(try identities(sshKey.text) == [AgeSSHRecipient(sshKey.publicLine).description])
        #expect(throws: AgeKeyError.unusableFile(.otherPrivateKeyFile)) {
            try identities("-----BEGIN EC PRIVATE KEY-----\n")
        }
        #expect(throws: AgeKeyError.unusableFile(.malformedSSHKey)) { try identities("-----BEGIN PRIVATE KEY-----\n") }
    }

    @Test("An identity file that is an age file for other keys says so; so does one that is damaged")
    func encrypted() throws {
        let file = try sealed(Array(Self.identity.utf8), for: [AgeX25519Identity().recipient])
        for bytes in [file, armored(file)] {
            #expect(throws: AgeKeyError.unusableFile(.encryptedFile)) {
                try AgeKeyFile.identities(in: SecretBytes(copying: bytes))
            }
            #expect(throws: AgeKeyError.unusableFile(.damagedFile)) {
                try AgeKeyFile.identities(in: SecretBytes(copying: bytes.prefix(60)))
            }
        }
    }

    @Test("Identity lines that cannot be used are named by their number, and nothing of them is said")
    func identityRefusals() throws {
        for (line, defect) in [
            ("hello", AgeKeyDefect.unknownKind), (" \(Self.identity)", .unknownKind), (" ", .unknownKind),
            (Self.identity.lowercased(), .unknownKind), (Self.identity + " ", .malformedAgeKey),
            (Self.identity + "\r\r", .malformedAgeKey), (String(Self.identity.dropLast()), .malformedAgeKey),
            (Self.identity + "\u{0}", .malformedAgeKey), ("AGE-SECRET-KEY-1", .malformedAgeKey),
            (Self.postQuantum, .unsupportedAgeKey), (Self.recipient, .publicKey), (sshKey.publicLine, .publicKey),
            ("AGE-PLUGIN-", .malformedAgeKey), ("밀담", .unknownKind),
        ] {
            let text = "# a\n\(Self.identity)\n\(line)\n"
            let error = #expect(throws: AgeKeyError.self) { try identities(text) }
            #expect(error == .unusableLine(3, defect), "\(line)")
            #expect(!"\(String(describing: error))".contains("GFPYYS"))
        }
    }

    @Test("Recipient lines that cannot be used are named by their number")
    func recipientRefusals() throws {
        for (line, defect) in [
            ("hello", AgeKeyDefect.unknownKind), (Self.recipient.uppercased(), .unknownKind),
            (Self.recipient + " ", .malformedAgeKey), (String(Self.recipient.dropLast()), .malformedAgeKey),
            (Self.identity, .secretKey), (Self.postQuantum, .secretKey), (Self.plugin, .secretKey),
            ("-----BEGIN OPENSSH PRIVATE KEY-----", .secretKey), ("ssh-rsa AAAA", .malformedSSHKey),
            ("ssh-ed25519 AAAA", .malformedSSHKey), ("ecdsa-sha2-nistp256 AAAA", .unsupportedSSHKey),
            (Bech32.encode([1, 2, 3], prefix: "age1pq"), .unsupportedAgeKey),
            (Bech32.encode([1, 2, 3], prefix: "age"), .malformedAgeKey),
        ] {
            #expect(throws: AgeKeyError.unusableLine(2, defect), "\(line)") {
                try recipients("\(Self.recipient)\n\(line)")
            }
        }
    }

    @Test("A file without a key is told")
    func empty() {
        for text in ["", "\n", "# only a comment", "#\n\r\n#"] {
            #expect(throws: AgeKeyError.noKeys) { try identities(text) }
            #expect(throws: AgeKeyError.noKeys) { try recipients(text) }
        }
    }

    @Test("Cut at any byte, or with one bit changed, a file gives no other key")
    func damage() throws {
        let text = Array("# x\n\(Self.identity)\n".utf8)
        for count in 0..<text.count - 1 {
            #expect(throws: AgeKeyError.self) { try AgeKeyFile.identities(in: SecretBytes(copying: text[..<count])) }
        }
        for position in text.indices {
            for bit in 0..<8 {
                var changed = text
                changed[position] ^= 1 << bit
                guard let identities = try? AgeKeyFile.identities(in: SecretBytes(copying: changed)) else { continue }
                #expect(words(identities) == [Self.recipient])
            }
        }
    }

    @Test("Files and pipes are read up to a size, and no further")
    func sizes() throws {
        let folder = try TemporaryFolder()
        let key = Array("\n\(Self.identity)\n".utf8)
        for size in [4095, 4096, 4097, 8192, 100_000, AgeKeyFile.maximumSize] {
            let text = [UInt8](repeating: UInt8(ascii: "#"), count: size - key.count) + key
            try WholeFile.write(text.span, to: folder.file("keys"))
            #expect(try words(AgeKeyFile.identities(at: folder.file("keys"))) == [Self.recipient])
            let file = try Descriptor.open(folder.file("keys"), O_RDONLY)
            #expect(try words(AgeKeyFile.identities(from: file)) == [Self.recipient])
        }
        let text = [UInt8](repeating: UInt8(ascii: "\n"), count: AgeKeyFile.maximumSize + 1)
        try WholeFile.write(text.span, to: folder.file("keys"))
        #expect(throws: AgeKeyError.tooLarge) { try AgeKeyFile.identities(at: folder.file("keys")) }
        #expect(throws: AgeKeyError.tooLarge) { try AgeKeyFile.recipients(at: folder.file("keys")) }
        let endless = try Descriptor.open("/dev/zero", O_RDONLY)
        #expect(throws: AgeKeyError.tooLarge) { try AgeKeyFile.identities(from: endless) }
        #expect(throws: AgeKeyError.tooLarge) { try AgeKeyFile.recipients(from: endless) }
        #expect(throws: AgeKeyError.io(SystemError("open", folder.file("none"), code: ENOENT))) {
            try AgeKeyFile.identities(at: folder.file("none"))
        }
        #expect(throws: AgeKeyError.io(SystemError("read", folder.path, code: EISDIR))) {
            try AgeKeyFile.recipients(at: folder.path)
        }
    }

    @Test("The text of a new key is age-keygen's, and is read back")
    func keygen() throws {
        let identity = try AgeX25519Identity(Self.identity)
        let text = AgeKeyFile.text(of: identity, created: 1_795_284_751)
        let shown = unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        #expect(shown == "# created: 2026-11-21T18:12:31Z\n# public key: \(Self.recipient)\n\(Self.identity)\n")
        #expect(try words(AgeKeyFile.identities(in: text)) == [Self.recipient])
    }
}
