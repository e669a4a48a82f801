// A refresh token, sealed by a key that an enclave holds, and kept in the keychain: three objects with one duty each.
//
// The calls are those of Apple's Security framework. Only `Workplace`, at the end, is about Linux: it makes the keychain
// and the enclave that the calls work with.

import Dispatch
import Foundation
import MildamCrypto
import MildamEnclave
import MildamKeychain
import MildamSecurity

/// What seals and opens.
protocol TokenSealing: Sendable {
    func seal(_ token: Data) -> Data?
    func open(_ sealed: Data) -> Data?
}

/// What keeps sealed tokens.
protocol TokenKeeping: Sendable {
    func keep(_ sealed: Data) -> Bool
    func find() -> Data?
    func forget() -> Bool
}

/// Seals with a key that is made once and found by its tag from then on.
struct EnclaveSealer: TokenSealing {
    let tag: String

    /// Finds the key, or makes it.
    private func privateKey() -> SecKey? {
        let applicationTag = Data(tag.utf8)
        let query: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrApplicationTag as String: applicationTag,
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecReturnRef as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecSuccess {
            print("found the key")
            return item as? SecKey
        }
        // A key that is there and cannot be used now must not be replaced by another.
        guard status == errSecItemNotFound else {
            print("no key:", SecCopyErrorMessageString(status, nil) as String? ?? "\(status)")
            return nil
        }

        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs as String: [
                kSecAttrApplicationTag as String: applicationTag,
                kSecAttrIsPermanent as String: true,
            ] as [String: Any],
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            report("the key was not made", error)
            return nil
        }
        print("made a key")
        return key
    }

    func seal(_ token: Data) -> Data? {
        guard let key = privateKey(), let publicKey = SecKeyCopyPublicKey(key) else { return nil }
        let algorithm = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM
        var error: Unmanaged<CFError>?
        guard SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm),
            let sealed = SecKeyCreateEncryptedData(publicKey, algorithm, token as CFData, &error)
        else {
            report("the token was not sealed", error)
            return nil
        }
        return sealed as Data
    }

    func open(_ sealed: Data) -> Data? {
        guard let key = privateKey() else { return nil }
        var error: Unmanaged<CFError>?
        guard
            let token = SecKeyCreateDecryptedData(
                key,
                .eciesEncryptionStandardX963SHA256AESGCM,
                sealed as CFData,
                &error
            )
        else {
            report("the token was not opened", error)
            return nil
        }
        return token as Data
    }

    private func report(_ what: String, _ error: Unmanaged<CFError>?) {
        if let error = error?.takeRetainedValue() { print("\(what): \(error)") }
    }
}

/// Keeps one sealed token, one call after the other.
struct SerialKeeper: TokenKeeping {
    let account: String
    private let queue = DispatchQueue(label: "keychain")

    init(account: String) { self.account = account }

    func keep(_ sealed: Data) -> Bool {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrAccount as String: account,
            kSecValueData as String: sealed,
        ]
        return queue.sync {
            // What is there goes first; a search takes no notice of the data.
            SecItemDelete(query as CFDictionary)
            return SecItemAdd(query as CFDictionary, nil) == errSecSuccess
        }
    }

    func find() -> Data? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrAccount as String: account,
            kSecReturnData as String: true,
        ]
        return queue.sync {
            var item: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
            return item as? Data
        }
    }

    func forget() -> Bool {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrAccount as String: account,
        ]
        return queue.sync { SecItemDelete(query as CFDictionary) == errSecSuccess }
    }
}

/// Puts the two together; tests can give it others.
struct SecureTokenManager {
    let sealer: any TokenSealing
    let keeper: any TokenKeeping

    func save(_ token: String) -> Bool { sealer.seal(Data(token.utf8)).map(keeper.keep) ?? false }

    func load() -> String? { keeper.find().flatMap(sealer.open).map { String(decoding: $0, as: UTF8.self) } }

    func forget() -> Bool { keeper.forget() }
}

/// The keychain and the enclave, in a folder that is gone afterwards.
enum Workplace {
    static func open() async throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snippet-\(UUID().uuidString)")
        let keychain = try await LocalKeychain.create(
            at: folder.appendingPathComponent("keychain.db").path,
            secret: .passphrase(SecretValue(text: "correct horse battery staple")),
            costs: .least
        )
        // A machine with a TPM gives `TPMEnclave` instead, and needs no PIN.
        let pin = try EnclavePIN(SecretBytes(copying: Array("battery staple".utf8)))
        SecKeychain.use(keychain, enclave: SoftwareEnclave(), pin: { pin })
        return folder
    }
}

let folder = try await Workplace.open()
let manager = SecureTokenManager(
    sealer: EnclaveSealer(tag: "com.example.refresh-token"),
    keeper: SerialKeeper(account: "someone")
)
print("saved:", manager.save("a refresh token"))
print("kept in clear:", SerialKeeper(account: "someone").find() == Data("a refresh token".utf8))
print("loaded:", manager.load() ?? "nothing")
print("saved again:", manager.save("its successor"))
print("loaded:", manager.load() ?? "nothing")
print("forgotten:", manager.forget())
print("loaded:", manager.load() ?? "nothing")
try FileManager.default.removeItem(at: folder)
