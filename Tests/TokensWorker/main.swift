import Glibc
import MildamKeychain
import MildamSystem
import MildamTokens

// A process with a manager, for tests that need several, or one that dies. Its arguments: the keychain and its passphrase.
// It does what the lines of its input say, and writes a line for each:
//
//     open URL ACCOUNT LOCK   a new manager of this sign-in
//     login                   somebody signs in
//     get                     "token NUMBER TOKEN", or "error …"
//     after NUMBER            the same, after a server has refused that token
//     advance MILLISECONDS    its clocks go on by so much
//     die STEP                it kills itself as soon as it comes to this step
//     refresh                 "refreshed", or "error …"
//     hide                    its memory is its own from now on
//     abort                   it ends as by a fault, with a core dump where the system writes one

/// Ends this process as `kill -9` does, at a step that was named before.
final class Fuse: Sendable {
    private let step = Lock<String?>(nil)

    func set(_ name: String) { step.withLock { $0 = name } }

    func reach(_ name: String) {
        guard step.withLock({ $0 == name }) else { return }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }
}

/// A keychain at whose steps the process may die.
struct FusedKeychain: Keychain {
    let keychain: LocalKeychain
    let fuse: Fuse

    func add(_ item: NewItem) throws(KeychainError) -> ItemReference { try keychain.add(item) }

    func copyMatching(
        _ query: KeychainQuery,
        limit: KeychainQuery.Limit,
        returningSecrets: Bool
    ) throws(KeychainError) -> [KeychainItem] {
        fuse.reach("before-read")
        let items = try keychain.copyMatching(query, limit: limit, returningSecrets: returningSecrets)
        fuse.reach("after-read")
        return items
    }

    func update(_ query: KeychainQuery, _ change: ItemChange) throws(KeychainError) -> Int {
        try keychain.update(query, change)
    }

    func delete(_ query: KeychainQuery) throws(KeychainError) -> Int { try keychain.delete(query) }

    func set(_ item: NewItem) throws(KeychainError) -> ItemReference {
        fuse.reach("before-write")
        let reference = try keychain.set(item)
        fuse.reach("after-write")
        return reference
    }
}

/// libcurl, at whose steps the process may die.
struct FusedExchange: HTTPExchanging {
    let exchange: CurlExchange
    let fuse: Fuse

    func exchange(_ request: OutgoingRequest) async throws(ExchangeError) -> IncomingAnswer {
        fuse.reach("before-request")
        let answer = try await exchange.exchange(request)
        fuse.reach("after-answer")
        return answer
    }
}

/// Does what the lines say.
struct Bench {
    /// Waiting takes a fiftieth of its time.
    private static let haste = 50

    private let keychain: FusedKeychain
    private let exchange: FusedExchange
    private let clock: TokenClock
    private let offset = Lock<Int64>(0)
    private let fuse = Fuse()
    private var endpoint: TokenEndpoint?
    private var manager: SecureTokenManager?

    init(_ keychain: LocalKeychain) {
        let bootTime = TokenClock.bootTime
        let offset = offset
        clock = TokenClock(
            wall: WallClock { WallClock.system.milliseconds + offset.withLock { $0 } },
            sinceBoot: { bootTime() + offset.withLock { $0 } },
            sleep: { try? await Task.sleep(for: $0 / Bench.haste) }
        )
        var limits = CurlExchange.Limits()
        limits.timeout = .milliseconds(400)
        self.keychain = FusedKeychain(keychain: keychain, fuse: fuse)
        exchange = FusedExchange(exchange: CurlExchange(limits: limits), fuse: fuse)
    }

    /// What a line is answered with.
    mutating func answer(_ words: [String]) async -> String {
        do throws(TokenError) { return try await perform(words) } catch { return "error \(error)" }
    }

    private mutating func perform(_ words: [String]) async throws(TokenError) -> String {
        switch words.first {
        case "open" where words.count == 4:
            guard let url = ServerURL(words[1]) else { return "error address" }
            let endpoint = TokenEndpoint(OAuthServer(token: url), OAuthClient(id: "w"), through: exchange, clock: clock)
            let place = KeychainService(keychain, service: "tokens", account: words[2])
            self.endpoint = endpoint
            manager = SecureTokenManager(endpoint, in: place, lock: words[3])
            return "open"
        case "advance" where words.count == 2:
            let milliseconds = Int64(words[1]) ?? 0
            offset.withLock { $0 += milliseconds }
            return "advanced"
        case "die" where words.count == 2:
            fuse.set(words[1])
            return "set"
        case "hide": return (try? OwnProcess.hideMemory()) == nil ? "error" : "hidden"
        case "abort": abort()
        default: break
        }
        guard let manager, let endpoint else { return "error no manager" }
        switch words.first {
        case "login":
            try await manager.signIn(with: try await endpoint.tokens(by: .other(ExtensionGrant("urn:test:login"))))
            return "in"
        case "refresh":
            let number = try await manager.validAccessToken().number
            _ = try await manager.accessToken(after: number)
            return "refreshed"
        case "get": return text(try await manager.validAccessToken())
        case "after" where words.count == 2:
            return text(try await manager.accessToken(after: UInt64(words[1]) ?? 0))
        default: return "error what"
        }
    }

    private func text(_ credential: AccessCredential) -> String {
        "token \(credential.number) \(credential.token.text ?? "")"
    }
}

/// Writes a line at once.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

/// Reads lines to their end.
func work() async throws {
    let keychain = try LocalKeychain(path: CommandLine.arguments[1])
    try await keychain.unlock(.passphrase(SecretValue(text: CommandLine.arguments[2])))
    var bench = Bench(keychain)
    say("ready")
    while let line = readLine() {
        say(await bench.answer(line.split(separator: " ").map(String.init)))
    }
}

try await work()
