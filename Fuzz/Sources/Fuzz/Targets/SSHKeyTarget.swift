import MildamCrypto
import MildamWire

@testable import MildamFiles

extension FuzzTarget {
    /// SSH keys. The first byte says which: the bytes of a private key, its file, a public line, or an RSA key in DER.
    static let sshKey = FuzzTarget(
        name: "ssh-key",
        source: .file,
        seeds: {
            let text = Base64.standard.encode(privateKey)
            return [
                [0] + privateKey, [0] + lockedPrivateKey, [1] + Array(file(text).utf8),
                [1] + Array(file(String(text.prefix(70)) + "\r\n" + text.dropFirst(70)).utf8),
                [2] + Array(publicKey.text.utf8), [2] + Array(sshPublicLine.utf8),
                [0] + rsaPrivateKey, [2] + Array(rsaPublicKey.text.utf8), [3] + rsaDER,
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0:
                if let envelope = try? OpenSSHEnvelope(rest.span) {
                    mustHold(envelope.privatePart.upperBound == rest.count, "nothing stands behind the private part")
                    mustHold(!opensRSA(envelope, rest), "numbers that belong to no key make none")
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
            case 3:
                mustHold((try? RSA.PrivateKey(pkcs1: rest.span)) == nil, "numbers that belong to no key make none")
                mustHold((try? RSA.PrivateKey(pkcs8: rest.span)) == nil, "numbers that belong to no key make none")
            default:
                let text = String(decoding: rest, as: UTF8.self)
                if let recipient = try? AgeSSHRSARecipient(text) {
                    mustHold((try? AgeSSHRSARecipient(recipient.description)) == recipient, "it is read as written")
                    mustHold(text.contains(recipient.description.dropFirst(8)), "a public key has one spelling")
                }
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

    /// Numbers of the right sizes, of which nobody knows what would open what they encrypt.
    private static let rsaModulus: [UInt8] = [0] + [UInt8](repeating: 0xC5, count: 256)
    private static let rsaExponent: [UInt8] = [1, 0, 1]

    private static let rsaPublicKey = must { () throws(CryptoKitError) in
        SSHRSAPublicKey(try RSA.PublicKey(modulus: rsaModulus.span, publicExponent: rsaExponent.span))
    }

    private static let rsaPrivateKey: [UInt8] = {
        var part = WireWriter()
        for _ in 0..<2 { part.integer(UInt32(0x0102_0304)) }
        part.text(UInt32.self, SSHRSAPublicKey.type)
        for number in [rsaModulus, rsaExponent, rsaSecret, rsaExponent, rsaExponent, rsaExponent] {
            part.vector(UInt32.self, number)
        }
        part.text(UInt32.self, "")
        part.fixed((UInt8(1)...8).prefix((8 - part.bytes.count % 8) % 8))
        return envelope("none", "none", [], part.bytes, of: rsaPublicKey.bytes)
    }()

    private static let rsaSecret = [UInt8](repeating: 0x35, count: 255)

    private static let rsaDER: [UInt8] = {
        var numbers: [UInt8] = [0x02, 1, 0]
        for number in [rsaModulus, rsaExponent, rsaSecret] + [[UInt8]](repeating: rsaExponent, count: 5) {
            numbers += element(0x02, number)
        }
        return element(0x30, numbers)
    }()

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let (high, low) = (UInt8(content.count >> 8), UInt8(content.count & 255))
        let length = high > 0 ? [0x82, high, low] : low >= 0x80 ? [0x81, low] : [low]
        return [tag] + length + content
    }

    private static func opensRSA(_ envelope: OpenSSHEnvelope, _ bytes: [UInt8]) -> Bool {
        guard case .rsa = envelope.publicKey, envelope.lock == nil else { return false }
        let part = bytes.span.extracting(envelope.privatePart)
        return (try? envelope.publicKey.identity(part, blockSize: OpenSSHPrivateKey.plainBlockSize)) != nil
    }

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
        _ part: [UInt8],
        of key: [UInt8] = publicKey.bytes
    ) -> [UInt8] {
        var writer = WireWriter()
        writer.fixed("openssh-key-v1\0".utf8)
        for word in [cipher, derivation] { writer.text(UInt32.self, word) }
        writer.vector(UInt32.self, options)
        writer.integer(UInt32(1))
        writer.vector(UInt32.self, key)
        writer.vector(UInt32.self, part)
        return writer.bytes
    }

    private static func file(_ text: String) -> String {
        "-----BEGIN OPENSSH PRIVATE KEY-----\n\(text)\n-----END OPENSSH PRIVATE KEY-----\n"
    }
}
