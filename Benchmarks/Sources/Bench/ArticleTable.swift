import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// The table of the data-encryption article: four pictures, key derivation included, no file read or written. Its own
/// figures stand beside ours; an iPhone of 2021 made them, and its column for encryption also contains the PNG encoding of
/// the picture: `pngData()` runs inside `measure`.
enum ArticleTable {
    private static let pictures: [(name: String, bytes: Int, encrypt: Double, decrypt: Double)] = [
        ("586 KB", 586_000, 88, 7), ("1.5 MB", 1_500_000, 206, 7), ("5.6 MB", 5_600_000, 1016, 10),
        ("13.2 MB", 13_200_000, 3377, 22),
    ]

    static func figures() throws -> [Figure] { try pictures.flatMap(figures) }

    private static func figures(
        _ name: String,
        _ bytes: Int,
        _ encrypt: Double,
        _ decrypt: Double
    ) throws -> [Figure] {
        let content = SecureRandom.bytes(count: bytes)
        let (password, salt) = (Array("a random password of the keychain".utf8), SecureRandom.bytes(count: 20))
        let iv = try Insecure.AES.IV(data: SecureRandom.bytes(count: 16))
        func key() throws -> SymmetricKey {
            try KDF.PBKDF2.deriveKey(
                from: password,
                salt: salt,
                using: .sha256,
                outputByteCount: 32,
                rounds: 10_000
            )
        }
        var sealed = Data()
        let encrypting = try cost { sealed = try Insecure.AES.CBC.encrypt(content, using: key(), iv: iv) }
        let decrypting = try cost { _ = try Insecure.AES.CBC.decrypt(sealed, using: key(), iv: iv) }
        let recipient = AgeX25519Identity().recipient
        let age = try cost {
            var encryptor = try AgeEncryptor(recipients: [recipient])
            var chunk: [UInt8] = []
            chunk.reserveCapacity(AgeEncryptor.chunkSize + AgeEncryptor.tagSize)
            for start in stride(from: 0, to: bytes, by: AgeEncryptor.chunkSize) {
                let end = min(start + AgeEncryptor.chunkSize, bytes)
                chunk.removeAll(keepingCapacity: true)
                chunk.append(contentsOf: content[start..<end])
                try encryptor.seal(&chunk, isLast: end == bytes)
            }
        }
        let isLargest = bytes == pictures.map(\.bytes).max()
        return [
            Figure(
                what: "picture of \(name), AES-CBC encrypt",
                value: encrypting,
                unit: .milliseconds,
                peer: ("the article, with PNG encoding", encrypt * 1_000_000),
                goal: isLargest ? .value(atMost: 25_000_000) : nil
            ),
            Figure(
                what: "picture of \(name), AES-CBC decrypt",
                value: decrypting,
                unit: .milliseconds,
                peer: ("the article", decrypt * 1_000_000),
                goal: isLargest ? .value(atMost: 10_000_000) : nil
            ),
            Figure(
                what: "picture of \(name), age to a recipient",
                value: age,
                unit: .milliseconds,
                goal: isLargest ? .value(atMost: 15_000_000) : nil
            ),
        ]
    }
}
