import Foundation
import MildamCrypto

/// An OpenSSH private key file in its parts, each of which a test may change.
struct SSHKeyFile {
    var begin = "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    var magic = "openssh-key-v1\0"
    var cipher = "none"
    var derivation = "none"
    var options: [UInt8] = []
    var count: UInt32 = 1
    var outerType = "ssh-ed25519"
    var outerKey: [UInt8]
    var outerRest: [UInt8] = []
    var checks: (UInt32, UInt32) = (0x0102_0304, 0x0102_0304)
    var innerType = "ssh-ed25519"
    var innerKey: [UInt8]
    var seed: [UInt8]
    var keyBehindSeed: [UInt8]
    var comment = "somebody@somewhere"
    /// The padding's bytes; `nil` for those that belong there.
    var padding: [UInt8]?
    var trailing: [UInt8] = []
    /// What the private part is under; `nil` where it is not encrypted.
    private var passphrase: String?
    var end = "-----END OPENSSH PRIVATE KEY-----\n"

    init(_ key: Curve25519.Signing.PrivateKey) {
        outerKey = Array(key.publicKey.rawRepresentation)
        innerKey = outerKey
        keyBehindSeed = outerKey
        seed = Array(key.rawRepresentation)
    }

    /// The public key's line, as in a `.pub` file.
    var publicLine: String { "ssh-ed25519 \(Data(publicBytes).base64EncodedString()) \(comment)" }

    private var publicBytes: [UInt8] { string(Array(outerType.utf8)) + string(outerKey) + outerRest }

    var bytes: [UInt8] {
        var part = number(checks.0) + number(checks.1) + string(Array(innerType.utf8)) + string(innerKey)
        part += string(seed + keyBehindSeed) + string(Array(comment.utf8))
        let block = passphrase == nil ? 8 : 16
        part += padding ?? Array((1...16).prefix((block - part.count % block) % block))
        let start = Array(magic.utf8) + string(Array(cipher.utf8)) + string(Array(derivation.utf8)) + string(options)
        return start + number(count) + string(publicBytes) + string(sealed(part)) + trailing
    }

    /// Puts the private part under a passphrase, with as little work as there is.
    mutating func lock(_ passphrase: String, cipher: String = "aes256-ctr") {
        self.passphrase = passphrase
        self.cipher = cipher
        derivation = "bcrypt"
        options = lockOptions(rounds: 1)
    }

    func lockOptions(rounds: UInt32) -> [UInt8] { string(SSHKeyFile.salt) + number(rounds) }

    private static let salt: [UInt8] = Array(1...16)

    private func sealed(_ part: [UInt8]) -> [UInt8] {
        guard let passphrase, let bits = Int(cipher.dropFirst(3).prefix(3)) else { return part }
        var bytes = part
        do {
            let derived = try KDF.BcryptPBKDF.deriveBytes(
                from: Array(passphrase.utf8).span,
                salt: SSHKeyFile.salt,
                outputByteCount: bits / 8 + 16,
                rounds: 1
            )
            let key = SymmetricKey(data: (0..<bits / 8).map { derived.span[$0] })
            let iv = try Insecure.AES.IV(data: (bits / 8..<bits / 8 + 16).map { derived.span[$0] })
            var blocks = bytes.mutableSpan
            if cipher.hasSuffix("ctr") {
                try Insecure.AES.CounterMode.apply(inPlace: &blocks, using: key, iv: iv)
            } else {
                var encryptor = try Insecure.AES.CBC.Encryptor(key: key, iv: iv)
                encryptor.update(inPlace: &blocks)
            }
        } catch {
            preconditionFailure("\(error)")
        }
        return bytes
    }

    /// The file, wrapped at 70 characters as ssh-keygen does.
    var text: String { text(of: bytes) }

    /// Other bytes in the form of the file.
    func text(of bytes: [UInt8]) -> String {
        let characters = Array(Data(bytes).base64EncodedString())
        let lines = stride(from: 0, to: characters.count, by: 70).map { String(characters[$0...].prefix(70)) + "\n" }
        return begin + lines.joined() + end
    }

    private func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private func string(_ bytes: [UInt8]) -> [UInt8] { number(UInt32(bytes.count)) + bytes }
}
