// A list of one-time-code tokens as one item: JSON in its generic attribute, added, read, updated and deleted.

import Foundation
import MildamKeychain
import MildamSecurity

struct Token: Codable, Equatable {
    var name: String
    var secret: String
    var digits: Int
}

/// The four calls of Keychain Services, one method each.
struct TokenService {
    private let account = "TokenService"
    private let service: String? = "com.example.codes"

    private var query: [CFString: Any]? {
        guard let service else { return nil }
        return [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
    }

    func create(_ tokens: [Token]) -> Bool {
        guard let data = try? JSONEncoder().encode(tokens), let service else { return false }
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecAttrAccount: account,
            kSecAttrGeneric: data,
        ]
        return SecItemAdd(query as CFDictionary, nil) == errSecSuccess
    }

    func read() -> [Token]? {
        guard let service else { return nil }
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecAttrAccount: account,
            kSecMatchLimit: kSecMatchLimitOne,
            kSecReturnAttributes: true,
            kSecReturnData: true,
        ]
        var item: CFTypeRef?
        if SecItemCopyMatching(query as CFDictionary, &item) != errSecSuccess { return nil }
        guard let found = item as? [String: Any],
            let data = found[kSecAttrGeneric as String] as? Data,
            let tokens = try? JSONDecoder().decode([Token].self, from: data)
        else { return nil }
        return tokens
    }

    func update(_ tokens: [Token]) -> Bool {
        guard let query, let data = try? JSONEncoder().encode(tokens) else { return false }
        let attributes: [CFString: Any] = [kSecAttrAccount: account, kSecAttrGeneric: data]
        return SecItemUpdate(query as CFDictionary, attributes as CFDictionary) == errSecSuccess
    }

    func delete() -> Bool {
        guard let query else { return false }
        return SecItemDelete(query as CFDictionary) == errSecSuccess
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

let service = TokenService()
let mail = Token(name: "mail", secret: "JBSWY3DPEHPK3PXP", digits: 6)
let bank = Token(name: "bank", secret: "GEZDGNBVGY3TQOJQ", digits: 8)
print("read:", service.read()?.map(\.name) ?? ["nothing"])
print("created:", service.create([mail]))
print("created again:", service.create([mail]))
print("read:", service.read()?.map(\.name) ?? ["nothing"])
print("updated:", service.update([mail, bank]))
print("read:", service.read() == [mail, bank])
print("deleted:", service.delete())
print("deleted again:", service.delete())
print("updated:", service.update([bank]))
try FileManager.default.removeItem(at: folder)
