import MildamCrypto
import MildamFiles
import MildamWire

extension FuzzTarget {
    /// Files of keys. The first byte says which: identities or recipients.
    static let ageKeyFile = FuzzTarget(
        name: "age-key-file",
        source: .file,
        seeds: {
            let recipient = identity.recipient.description
            return [
                [0] + Array("# created\n\n\(identity.secretText)\n#\(plugin)\n".utf8),
                [0] + Array("\(plugin)\r\n".utf8),
                [0] + Array("\(locked)a nonce of sixteen, and a chunk".utf8),
                [1] + Array("# friends\n\(recipient)\n\(sshPublicLine)\n".utf8),
                [1] + Array(Bech32.encode([1, 2], prefix: "age1name").utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            if first == 0 {
                takeIdentities(rest)
            } else {
                takeRecipients(rest)
            }
        }
    )

    private static let identity = must { () throws(AgeError) in
        try AgeX25519Identity("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
    }
    private static let plugin = Bech32.encode([1, 2, 3], prefix: "AGE-PLUGIN-A-")

    /// The header of a file of keys under a passphrase.
    private static let locked = """
        age-encryption.org/v1
        -> scrypt \(String(repeating: "A", count: 22)) 1
        \(String(repeating: "A", count: 43))
        --- \(String(repeating: "A", count: 43))

        """

    private static func takeIdentities(_ input: [UInt8]) {
        guard let identities = try? AgeKeyFile.identities(in: SecretBytes(copying: input.span)) else { return }
        planted(identities.count == 2)
        mustHold(!identities.isEmpty, "a key file has a key")
        for case let identity as AgeX25519Identity in identities {
            mustHold(contains(input, identity.secretText), "a key has one spelling")
        }
    }

    private static func takeRecipients(_ input: [UInt8]) {
        guard let recipients = try? AgeKeyFile.recipients(in: input.span) else { return }
        mustHold(!recipients.isEmpty, "a key file has a key")
        for case let recipient as AgeX25519Recipient in recipients {
            mustHold(contains(input, recipient.description), "a key has one spelling")
        }
    }

    private static func contains(_ input: [UInt8], _ text: String) -> Bool {
        input.split { $0 == 10 || $0 == 13 }.contains { $0.elementsEqual(text.utf8) }
    }
}
