import MildamCrypto
import MildamFiles

extension FuzzTarget {
    /// An RNCryptor file, opened with two keys: no password is stretched. The first byte says whether it is marked.
    static let rnCryptorFile = FuzzTarget(
        name: "rncryptor-file",
        source: .file,
        seeds: {
            let ofPassword = [1, 3, 1] + [UInt8](repeating: 9, count: 100)
            return genuine.map { [1] + $0 } + [ofPassword, [0] + genuine[0].dropFirst(2)]
        },
        take: { input in
            guard let first = input.first else { return }
            let file = Array(input.dropFirst())
            let format: RNCryptorFormat = first & 1 == 1 ? .detected : .unmarked
            if let header = try? RNCryptorHeader(file.span) {
                planted(header.version == .two && header.salts != nil)
                mustHold(file.starts(with: header.bytes), "a header that is written is what was read")
                mustHold(header.iv.count == 16, "a header has an IV")
            }
            let opened: (content: [UInt8], opened: RNCryptorOpened)
            do throws(RNCryptorError) {
                let secret = RNCryptorSecret.keys(encryption: encryptionKey, hmac: hmacKey)
                opened = try RNCryptorFile.decrypt(file, secret: secret, format: format)
            } catch {
                return
            }
            mustHold(opened.content.count == opened.opened.size, "the size is the content's")
            mustHold(
                genuine.contains { genuine in
                    opened.opened.layout.isHeaderAuthenticated
                        ? file == genuine : file.suffix(48).elementsEqual(genuine.suffix(48))
                },
                "only what was written opens"
            )
        }
    )

    private static let encryptionKey = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
    private static let hmacKey = SymmetricKey(data: [UInt8](repeating: 2, count: 32))

    /// A file of each version, without the bytes that would mark an earlier one.
    private static let genuine: [[UInt8]] = ([1, 2, 3] as [UInt8]).map { version in
        let iv = [UInt8](repeating: 3, count: 16)
        let header = [version, 0] + iv
        let ciphertext = must { () throws(CryptoKitError) in
            let content = Array("some content".utf8)
            return Array(try Insecure.AES.CBC.encrypt(content, using: encryptionKey, iv: Insecure.AES.IV(data: iv)))
        }
        let covered = (version > 1 ? header : []) + ciphertext
        return header + ciphertext + Array(HMAC<SHA256>.authenticationCode(for: covered, using: hmacKey))
    }
}
