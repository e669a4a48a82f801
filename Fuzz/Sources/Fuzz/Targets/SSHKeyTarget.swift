import MildamCrypto
import MildamWire

@testable import MildamFiles

extension FuzzTarget {
    /// SSH keys. The first byte says which: the bytes of a private key, its file, or a public line.
    static let sshKey = FuzzTarget(
        name: "ssh-key",
        source: .file,
        seeds: {
            let text = Base64.standard.encode(privateKey)
            return [
                [0] + privateKey, [0] + lockedPrivateKey, [1] + Array(file(text).utf8),
                [1] + Array(file(String(text.prefix(70)) + "\r\n" + text.dropFirst(70)).utf8),
                [2] + Array(publicKey.text.utf8), [2] + Array(sshPublicLine.utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0:
                if let envelope = try? OpenSSHEnvelope(rest.span) {
                    mustHold(envelope.privatePart.upperBound == rest.count, "nothing stands behind the private part")
                }
                guard let key = try? OpenSSHPrivateKey(rest.span) else { return }
                planted(rest != privateKey)
                mustHold(key.publicKey == publicKey, "damage makes no other key")
                mustHold(key.signingKey.publicKey == key.publicKey.key, "the public key is the private key's")
            case 1:
                guard let identity = try? AgeSSHIdentity(privateKeyFile: SecretBytes(copying: rest.span)) else {
                    return
                }
                mustHold(identity.recipient.sshKey == publicKey, "damage makes no other key")
            default:
                let text = String(decoding: rest, as: UTF8.self)
                guard let recipient = try? AgeSSHRecipient(text) else { return }
                mustHold((try? AgeSSHRecipient(recipient.description)) == recipient, "a public line is read as written")
                mustHold(text.contains(recipient.description.dropFirst(12)), "a public key has one spelling")
            }
        }
    )

    /// A public line, as in a `.pub` file.
    static var sshPublicLine: String { publicKey.text + " a comment" }

    private static let publicKey = must { () throws(AgeKeyDefect) in
        var writer = WireWriter()
        writer.text(UInt32.self, SSHPublicKey.type)
        writer.vector(UInt32.self, FixedKeys.identity.publicKey.rawRepresentation)
        return try SSHPublicKey(writer.bytes.span)
    }

    private static let privateKey: [UInt8] = {
        var part = WireWriter()
        for _ in 0..<2 { part.integer(UInt32(0x0102_0304)) }
        part.text(UInt32.self, SSHPublicKey.type)
        part.vector(UInt32.self, publicKey.key.rawRepresentation)
        part.vector(UInt32.self, Array(FixedKeys.identity.rawRepresentation) + Array(publicKey.key.rawRepresentation))
        part.text(UInt32.self, "some comment")
        part.fixed([1])
        return envelope("none", "none", [], part.bytes)
    }()

    /// One under a passphrase, as far as anybody can tell without it.
    private static let lockedPrivateKey: [UInt8] = {
        var options = WireWriter()
        options.vector(UInt32.self, [UInt8](repeating: 7, count: 16))
        options.integer(UInt32(16))
        return envelope("aes256-ctr", "bcrypt", options.bytes, [UInt8](repeating: 9, count: 144))
    }()

    private static func envelope(
        _ cipher: String,
        _ derivation: String,
        _ options: [UInt8],
        _ part: [UInt8]
    ) -> [UInt8] {
        var writer = WireWriter()
        writer.fixed("openssh-key-v1\0".utf8)
        for word in [cipher, derivation] { writer.text(UInt32.self, word) }
        writer.vector(UInt32.self, options)
        writer.integer(UInt32(1))
        writer.vector(UInt32.self, publicKey.bytes)
        writer.vector(UInt32.self, part)
        return writer.bytes
    }

    private static func file(_ text: String) -> String {
        "-----BEGIN OPENSSH PRIVATE KEY-----\n\(text)\n-----END OPENSSH PRIVATE KEY-----\n"
    }
}
