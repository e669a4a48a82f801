import MildamCrypto
import MildamWire

@testable import MildamKeychain

extension FuzzTarget {
    /// Bitwarden's exports. The first byte says which: in clear; encrypted, with changes; or what is encrypted.
    static let keychainBitwarden = FuzzTarget(
        name: "keychain-bitwarden",
        source: .file,
        seeds: {
            let login =
                #"{"type":1,"name":"A","login":{"uris":[{"uri":"https://a"}],"username":"u","password":"p","totp":"A"}}"#
            let note = #"{"type":2,"name":"N","notes":"\u00e9","fields":[{"name":"f","value":"v"}],"folderId":"1"}"#
            let plain = #"{"folders":[{"id":"1","name":"W"}],"items":["# + login + "," + note + "]}"
            let file = encryptedBitwarden(Array(plain.utf8))
            return [[0] + Array(plain.utf8), [1] + file, [2] + Array(plain.utf8)]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0:
                guard let result = try? BitwardenImport.read(rest.span) else { return }
                planted(result.defects.contains(.unknownKind))
                mustBeBounded(result, rest)
            case 1:
                // What costs much is refused, or a mutation that asks for less than the limit would take seconds.
                guard rest.count < 4096, !mayCostMuch(rest) else { return }
                _ = try? BitwardenImport.read(rest.span, password: SecretValue(text: "pw"))
            default:
                let file = encryptedBitwarden(rest)
                let inner = try? BitwardenImport.read(rest.span)
                let outer = try? BitwardenImport.read(file.span, password: SecretValue(text: "pw"))
                guard let inner, let outer else {
                    // Encrypted once more, it asks for a password of its own.
                    return mustHold(outer == nil, "an encrypted export says what is in it")
                }
                mustHold(inner.rows.count == outer.rows.count, "an encrypted export says what is in it")
            }
        }
    )

    /// Whether a digit could have been put before the rounds of ``encryptedBitwarden(_:)``.
    private static func mayCostMuch(_ file: [UInt8]) -> Bool {
        let text = String(decoding: file, as: UTF8.self)
        return !text.contains("\"kdfType\":0,\"kdfIterations\":1,")
    }

    private static let keys: (encryption: SymmetricKey, authentication: SymmetricKey) = must {
        () throws(CryptoKitError) in
        let key = try KDF.PBKDF2.deriveKey(
            from: Array("pw".utf8),
            salt: Array("salt".utf8),
            using: .sha256,
            outputByteCount: 32,
            rounds: 1
        )
        func expand(_ label: String) -> SymmetricKey {
            HKDF<SHA256>.expand(pseudoRandomKey: key, info: Array(label.utf8), outputByteCount: 32)
        }
        return (expand("enc"), expand("mac"))
    }

    private static func encryptedBitwarden(_ plain: [UInt8]) -> [UInt8] {
        func seal(_ content: [UInt8]) -> String {
            let iv = [UInt8](repeating: 7, count: 16)
            let data = must { () throws(CryptoKitError) in
                Array(try Insecure.AES.CBC.encrypt(content, using: keys.encryption, iv: Insecure.AES.IV(data: iv)))
            }
            let mac = Array(HMAC<SHA256>.authenticationCode(for: iv + data, using: keys.authentication))
            return "2." + [iv, data, mac].map { Base64.standard.encode($0) }.joined(separator: "|")
        }
        return Array(
            (#"{"encrypted":true,"passwordProtected":true,"salt":"salt","kdfType":0,"kdfIterations":1,"#
                + #""encKeyValidation_DO_NOT_EDIT":""# + seal(Array("check".utf8)) + #"","data":""# + seal(plain)
                + "\"}").utf8
        )
    }
}

extension ImportedLogins {
    fileprivate var defects: [RowDefect] {
        rows.compactMap { if case .refused(_, _, let reason) = $0 { reason } else { nil } }
    }
}
