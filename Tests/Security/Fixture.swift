import Foundation
import MildamEnclave
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

/// Everything here works with the one keychain of the process: one test after the other.
@Suite("Keychain Services by Apple's names", .serialized)
enum SecurityTests {}

/// A keychain in a folder of its own, in use until its owner goes.
final class Fixture {
    static let passphrase = SlotSecret.passphrase(SecretValue(text: "correct horse battery staple"))
    let folder: TemporaryFolder
    let keychain: LocalKeychain

    init(enclave: (any Enclave)? = nil, pin: EnclavePIN? = nil) async throws {
        folder = try TemporaryFolder()
        keychain = try await LocalKeychain.create(
            at: folder.file("keychain.db"),
            secret: Fixture.passphrase,
            costs: .least
        )
        if let enclave {
            SecKeychain.use(keychain, enclave: enclave) { pin }
        } else {
            SecKeychain.use(keychain)
        }
    }

    deinit { SecKeychain.use(nil) }
}

/// What an account's password is added and found with.
func password(_ account: String, _ service: String = "service") -> [String: Any] {
    [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: account,
    ]
}

/// Adds a password, and expects it to work.
func add(_ account: String, _ service: String = "service", _ text: String = "secret") {
    var attributes = password(account, service)
    attributes[kSecValueData as String] = Data(text.utf8)
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
}

/// Asks for a result; the status that came instead when there is none.
func find(_ query: [String: Any], _ more: [String: Any] = [:]) -> (status: OSStatus, item: CFTypeRef?) {
    var item: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &item)
    return (status, item)
}

/// What a password protects.
func text(_ account: String, _ service: String = "service") -> String? {
    let data = find(password(account, service), [kSecReturnData as String: true]).item as? Data
    return data.map { String(decoding: $0, as: UTF8.self) }
}

/// What an error says, which is taken over.
func code(_ error: Unmanaged<CFError>?) -> OSStatus? {
    guard let error = unsafe error?.takeRetainedValue() else { return nil }
    return OSStatus(CFErrorGetCode(error))
}

/// What is there. A function, since `#require` makes an unsafe expression of a call that takes a null pointer.
func required<Value>(_ value: Value?, _ location: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(value, sourceLocation: location)
}

/// Whether a signature is the key's.
func verifies(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: Data, _ signature: Data) -> Bool {
    SecKeyVerifySignature(key, algorithm, data as CFData, signature as CFData, nil)
}
