import Foundation
import MildamCrypto
import MildamKeychain
import MildamSystem
import MildamTokens
import TestSupport

/// A keychain in a folder of its own, a server, and managers over both.
struct Desk: Sendable {
    static let passphrase = "correct horse battery staple"
    let folder: TemporaryFolder
    let keychain: LocalKeychain
    let server: RotatingServer
    let clock = TestClock()

    init() async throws {
        folder = try TemporaryFolder()
        keychain = try await LocalKeychain.create(
            at: folder.file("keychain.db"),
            secret: .passphrase(SecretValue(text: Desk.passphrase)),
            costs: .least
        )
        let clock = clock
        server = try RotatingServer { clock.wall }
    }

    /// Where the record lies.
    func place(_ keychain: (any Keychain)? = nil) -> KeychainService {
        KeychainService(keychain ?? self.keychain, service: "tokens", account: "someone")
    }

    func endpoint(
        _ exchange: any HTTPExchanging = CurlExchange(),
        proofs: (any ProofMaker)? = nil
    ) -> TokenEndpoint {
        TokenEndpoint(server.server, OAuthClient(id: "desk"), through: exchange, proofs: proofs, clock: clock.clock)
    }

    /// A manager, as another process would have it.
    func manager(
        _ keychain: (any Keychain)? = nil,
        through exchange: any HTTPExchanging = CurlExchange(),
        options: SecureTokenManager.Options = .init()
    ) -> SecureTokenManager {
        SecureTokenManager(endpoint(exchange), in: place(keychain), lock: folder.file("tokens.lock"), options: options)
    }

    /// A manager with somebody signed in.
    func signedIn(
        _ keychain: (any Keychain)? = nil,
        through exchange: any HTTPExchanging = CurlExchange(),
        options: SecureTokenManager.Options = .init()
    ) async throws -> SecureTokenManager {
        let manager = manager(keychain, through: exchange, options: options)
        try await manager.signIn(with: login())
        return manager
    }

    /// What a sign-in gives.
    func login() async throws -> GrantedTokens {
        try await endpoint().tokens(by: .other(ExtensionGrant("urn:test:login")))
    }
}

/// A keychain that refuses to be written, or read, when a test says so.
final class StubbornKeychain: Keychain {
    let keychain: LocalKeychain
    let writing = Lock<KeychainError?>(nil)
    let reading = Lock<KeychainError?>(nil)
    /// How often it was written.
    let writes = Lock(0)

    init(_ keychain: LocalKeychain) { self.keychain = keychain }

    func add(_ item: NewItem) throws(KeychainError) -> ItemReference { try keychain.add(item) }

    func copyMatching(
        _ query: KeychainQuery,
        limit: KeychainQuery.Limit,
        returningSecrets: Bool
    ) throws(KeychainError) -> [KeychainItem] {
        if let error = reading.withLock({ $0 }) { throw error }
        return try keychain.copyMatching(query, limit: limit, returningSecrets: returningSecrets)
    }

    func update(_ query: KeychainQuery, _ change: ItemChange) throws(KeychainError) -> Int {
        try keychain.update(query, change)
    }

    func delete(_ query: KeychainQuery) throws(KeychainError) -> Int { try keychain.delete(query) }

    func set(_ item: NewItem) throws(KeychainError) -> ItemReference {
        if let error = writing.withLock({ $0 }) { throw error }
        writes.withLock { $0 += 1 }
        return try keychain.set(item)
    }
}

/// The error that something fails with; `nil` when it does not.
func failure<Value>(_ body: () async throws -> Value) async -> TokenError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? TokenError
    }
}

/// Bytes of a text, read by `body`.
func reading<Value, Failure: Error>(
    _ text: String,
    _ body: (Span<UInt8>) throws(Failure) -> Value
) throws(Failure) -> Value {
    let bytes = Array(text.utf8)
    return try body(bytes.span)
}
