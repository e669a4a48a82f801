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

/// What the worker does is slowed down by nothing: waiting takes a fiftieth of its time.
let haste = 50

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

let fuse = Fuse()
let offset = Lock<Int64>(0)
let bootTime = TokenClock.bootTime
let clock = TokenClock(
    wall: WallClock { WallClock.system.milliseconds + offset.withLock { $0 } },
    sinceBoot: { bootTime() + offset.withLock { $0 } },
    sleep: { try? await Task.sleep(for: $0 / haste) }
)
var limits = CurlExchange.Limits()
limits.timeout = .milliseconds(400)
let exchange = FusedExchange(exchange: CurlExchange(limits: limits), fuse: fuse)
let local = try LocalKeychain(path: CommandLine.arguments[1])
try await local.unlock(.passphrase(SecretValue(text: CommandLine.arguments[2])))
let keychain = FusedKeychain(keychain: local, fuse: fuse)

@MainActor var endpoint: TokenEndpoint?
@MainActor var manager: SecureTokenManager?

/// Does what a line says.
@MainActor func perform(_ words: [String]) async -> String {
    switch words.first {
    case "open":
        guard words.count == 4, let url = ServerURL(words[1]) else { return "error arguments" }
        let opened = TokenEndpoint(OAuthServer(token: url), OAuthClient(id: "worker"), through: exchange, clock: clock)
        let place = KeychainService(keychain, service: "tokens", account: words[2])
        endpoint = opened
        manager = SecureTokenManager(opened, in: place, lock: words[3])
        return "open"
    case "login":
        guard let manager, let endpoint else { return "error no manager" }
        do throws(TokenError) {
            try await manager.signIn(with: endpoint.tokens(by: .other(ExtensionGrant("urn:test:login"))))
            return "in"
        } catch {
            return "error \(error)"
        }
    case "get", "after":
        guard let manager else { return "error no manager" }
        do throws(TokenError) {
            let number = words.count > 1 ? UInt64(words[1]) : nil
            let credential: AccessCredential
            if let number {
                credential = try await manager.accessToken(after: number)
            } else {
                credential = try await manager.validAccessToken()
            }
            return "token \(credential.number) \(credential.token.text ?? "")"
        } catch {
            return "error \(error)"
        }
    case "refresh":
        guard let manager else { return "error no manager" }
        do throws(TokenError) {
            _ = try await manager.accessToken(after: manager.validAccessToken().number)
            return "refreshed"
        } catch {
            return "error \(error)"
        }
    case "hide": return (try? OwnProcess.hideMemory()) == nil ? "error" : "hidden"
    case "advance":
        let milliseconds = words.count > 1 ? Int64(words[1]) ?? 0 : 0
        offset.withLock { $0 += milliseconds }
        return "advanced"
    case "die":
        fuse.set(words.count > 1 ? words[1] : "")
        return "set"
    case "abort": abort()
    default: return "error what"
    }
}

/// Writes a line at once.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

say("ready")
while let line = readLine() {
    say(await perform(line.split(separator: " ").map(String.init)))
}
