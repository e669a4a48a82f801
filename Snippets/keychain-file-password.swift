// The password that files are encrypted under: taken from the keychain, or drawn at random and kept there.

import Foundation
import MildamKeychain
import MildamSecurity

enum PasswordError: Error {
    case random(Int)
    case keychain(String)
}

/// The password of the files of one app.
struct FilePassword {
    let service: String

    /// The password, which is made the first time.
    func password() throws -> Data {
        if let known = try stored() { return known }
        let new = try random(byteCount: 32)
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            kSecValueData as String: new,
        ]
        switch SecItemAdd(attributes as CFDictionary, nil) {
        case errSecSuccess: return new
        case errSecDuplicateItem: return try stored() ?? new  // another thread was faster: its password counts
        case let status: throw failure(status)
        }
    }

    private func stored() throws -> Data? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecReturnData as String: kCFBooleanTrue as Any,
            kSecMatchLimit as String: kSecMatchLimitOne,
        ]
        var result: AnyObject?
        switch SecItemCopyMatching(query as CFDictionary, &result) {
        case errSecSuccess: return result as? Data
        case errSecItemNotFound: return nil
        case let status: throw failure(status)  // a password that cannot be read now is not missing
        }
    }

    private func random(byteCount: Int) throws -> Data {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let status = SecRandomCopyBytes(kSecRandomDefault, byteCount, &bytes)
        guard status == errSecSuccess else { throw PasswordError.random(Int(status)) }
        return Data(bytes)
    }

    private func failure(_ status: OSStatus) -> PasswordError {
        .keychain(SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)")
    }
}

// The one part that is about Linux: which keychain the calls work with.
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snippet-\(UUID().uuidString)")
let keychain = try await LocalKeychain.create(
    at: folder.appendingPathComponent("keychain.db").path,
    secret: .passphrase(SecretValue(text: "correct horse battery staple")),
    costs: .least
)
SecKeychain.use(keychain)

let entry = FilePassword(service: "com.example.files")
let first = try entry.password()
print("bytes:", first.count)
print("the same again:", try entry.password() == first)
print("another service's differs:", try FilePassword(service: "com.example.other").password() != first)
SecKeychain.use(nil)
do { _ = try entry.password() } catch PasswordError.keychain(let reason) { print(reason) }
try FileManager.default.removeItem(at: folder)
