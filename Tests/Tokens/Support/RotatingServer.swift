import Foundation
import MildamCrypto
import MildamIdentity
import MildamKeychain
import MildamSystem
import MildamTokens
import MildamWire
import TestSupport

@testable import MildamRelay

/// An authorization server whose refresh tokens are those of the relay itself (`RefreshFamily`), behind a gate that drops,
/// delays, doubles and cuts.
final class RotatingServer: Sendable {
    /// What becomes of a request for a refresh, and of its answer.
    enum Fate: Sendable, Equatable {
        case passed
        /// The request does not arrive.
        case lost
        /// The answer does not.
        case unanswered
        /// The answer's first bytes do.
        case cut(Int)
        /// The answer comes after so many milliseconds.
        case late(Int)
        /// The request arrives twice, and the second answer is the one.
        case doubled
        /// Somebody on the way answers instead, before it arrives or after.
        case replaced([UInt8], arrives: Bool)
    }

    struct State {
        var family: RefreshFamily?
        var fates: [Fate] = []
        /// For how many seconds access tokens are good.
        var lifetime: Int64 = 300
        /// Milliseconds since 1970 at which each access token ends.
        var access: [String: Int64] = [:]
        /// Access tokens that are refused all the same.
        var refusesAll = false
        /// How many requests to refresh have arrived.
        var refreshes = 0
        /// How often a token came that had a confirmed successor, or was none.
        var violations = 0
        /// The bytes of the last answer to a refresh.
        var answerSize = 0
        var revoked: [String] = []
        var requests = 0
        var dateOffset: Int64 = 0
    }

    let state = Lock(State())
    private let clock: @Sendable () -> Int64
    private let gate: GateServer
    private let keys = RefreshKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))

    /// - Parameter clock: milliseconds since 1970.
    init(_ clock: @escaping @Sendable () -> Int64 = { WallClock.system.milliseconds }) throws {
        self.clock = clock
        let (state, keys) = (state, keys)
        gate = try GateServer { request in RotatingServer.answer(request, state, keys, clock()) }
    }

    var tokenURL: String { gate.url("/token") }
    var resourceURL: String { gate.url("/resource") }

    var server: OAuthServer {
        guard let url = ServerURL(tokenURL) else { fatalError("a loopback address") }
        var server = OAuthServer(token: url)
        server.revocation = ServerURL(gate.url("/revoke"))
        return server
    }

    /// Lets a refresh that comes n-th, from now on, have the n-th fate, and those after them pass.
    func set(_ fates: [Fate]) { state.withLock { $0.fates = fates } }

    var refreshes: Int { state.withLock(\.refreshes) }
    var violations: Int { state.withLock(\.violations) }

    private static func answer(
        _ request: GateRequest,
        _ state: Lock<State>,
        _ keys: RefreshKeys,
        _ now: Int64
    ) -> [GateServer.Step] {
        state.withLock { $0.requests += 1 }
        switch request.target {
        case "/token": break
        case "/revoke":
            state.withLock { state in
                state.revoked.append(request.form["token"] ?? "")
                state.family = nil
            }
            return [.send(GateServer.answer(200, ""))]
        default:
            let token = String((request.fields["authorization"] ?? "").dropFirst("Bearer ".count))
            let isGood = state.withLock { !$0.refusesAll && $0.access[token, default: 0] > now }
            return [.send(GateServer.answer(isGood ? 200 : 401, "{}"))]
        }
        let isRefresh = request.form["grant_type"] == "refresh_token"
        let fate = state.withLock { state in
            isRefresh && !state.fates.isEmpty ? state.fates.removeFirst() : .passed
        }
        if fate == .lost { return [] }
        if case .replaced(let bytes, false) = fate { return [.send(bytes)] }
        var answer = process(request, state, keys, now)
        if fate == .doubled { answer = process(request, state, keys, now) }
        if isRefresh { state.withLock { $0.answerSize = answer.count } }
        switch fate {
        case .unanswered: return []
        case .cut(let count): return [.send(Array(answer.prefix(count)))]
        case .late(let milliseconds): return [.pause(milliseconds: milliseconds), .send(answer)]
        case .replaced(let bytes, _): return [.send(bytes)]
        default: return [.send(answer)]
        }
    }

    private static func process(
        _ request: GateRequest,
        _ state: Lock<State>,
        _ keys: RefreshKeys,
        _ now: Int64
    ) -> [UInt8] {
        let date = state.withLock { "Date: \(RotatingServer.date(now + $0.dateOffset))" }
        switch request.form["grant_type"] {
        case "urn:test:login":
            let token = SecureRandom.bytes(count: 32)
            state.withLock {
                $0.family = RefreshFamily(session: .random(), first: token, at: now / 1000)
            }
            return GateServer.answer(200, tokens(token, state, now), fields: [date])
        case "client_credentials": return GateServer.answer(200, tokens(nil, state, now), fields: [date])
        case "refresh_token": break
        default: return GateServer.answer(400, #"{"error":"unsupported_grant_type"}"#, fields: [date])
        }
        let presented = (try? Base64.url.decode(request.form["refresh_token"] ?? "")) ?? []
        let successor = state.withLock { state -> [UInt8]? in
            state.refreshes += 1
            guard let family = state.family else { return nil }
            switch family.present(presented, keys: keys, at: now / 1000) {
            case .advanced(let next, let token):
                state.family = next
                return token
            case .repeated(let token): return token
            case .ended:
                state.family = nil
                state.violations += 1
                return nil
            }
        }
        guard let successor else { return GateServer.answer(400, #"{"error":"invalid_grant"}"#, fields: [date]) }
        return GateServer.answer(200, tokens(successor, state, now), fields: [date])
    }

    private static func tokens(_ refresh: [UInt8]?, _ state: Lock<State>, _ now: Int64) -> String {
        let access = "at-" + Base64.url.encode(SecureRandom.bytes(count: 18))
        return state.withLock { state in
            state.access[access] = now + state.lifetime * 1000
            let rest = refresh.map { #","refresh_token":"\#(Base64.url.encode($0))""# } ?? ""
            return #"{"access_token":"\#(access)","token_type":"Bearer","expires_in":\#(state.lifetime)\#(rest)}"#
        }
    }

    private static func date(_ milliseconds: Int64) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds / 1000)))
    }
}
