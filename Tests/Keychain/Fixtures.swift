import Foundation
import MildamCrypto
import MildamKeychain
import MildamSystem
import TestSupport

/// A keychain in a folder of its own.
struct Fixture: Sendable {
    static let passphrase = SlotSecret.passphrase(SecretValue(text: "correct horse battery staple"))
    let folder: TemporaryFolder
    let keychain: LocalKeychain
    var path: String { folder.file("keychain.db") }

    init(
        _ secret: SlotSecret = Fixture.passphrase,
        options: LocalKeychain.Options = .init()
    ) async throws {
        folder = try TemporaryFolder()
        keychain = try await LocalKeychain.create(
            at: folder.file("keychain.db"),
            secret: secret,
            costs: .least,
            options: options
        )
    }

    /// The same file, opened by another.
    func another(
        _ secret: SlotSecret = Fixture.passphrase,
        options: LocalKeychain.Options = .init()
    ) async throws -> LocalKeychain {
        let keychain = try LocalKeychain(path: path, options: options)
        try await keychain.unlock(secret)
        return keychain
    }

    /// Runs SQL on the file, past all keys.
    @discardableResult
    func sqlite(_ sql: String) throws -> String {
        let result = try Program.run("sqlite3", [path, sql])
        guard result.status == 0 else { throw StringError(result.description) }
        return result.output
    }
}

struct StringError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A password's item.
func password(_ account: String, _ service: String = "service", _ text: String = "secret") -> NewItem {
    NewItem(
        .genericPassword,
        [.account: .text(account), .service: .text(service)],
        secret: SecretValue(text: text)
    )
}

extension Keychain {
    /// Which one a password is.
    func reference(of account: String, _ service: String = "service") throws(KeychainError) -> ItemReference {
        try item(.genericPassword(service: service, account: account)).reference
    }

    /// The text of a password.
    func text(_ account: String, _ service: String = "service") throws(KeychainError) -> String? {
        try item(.genericPassword(service: service, account: account)).secret?.text
    }
}
