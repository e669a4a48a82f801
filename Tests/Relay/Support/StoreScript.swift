import Foundation
import MildamCrypto
import MildamIdentity
import MildamOneTimeCode
import MildamRelayAPI
import MildamStorage

@testable import MildamRelay

/// One step of a script: an operation, and what is to come of it.
struct ScriptStep: Sendable {
    let name: String
    /// What is to come of it: "ok", or the refusal's code.
    let expected: String
    let prefetch: [FactKey]
    /// Performs it and says what came of it.
    let run: @Sendable (Transactor) throws(StorageError) -> Outcome

    struct Outcome: Equatable, Sendable {
        /// "ok", or the refusal's code.
        let code: String
        /// The answer as text.
        let answer: String
    }

    init<Operation: StoreOperation>(_ name: String, _ operation: Operation, _ refusal: APIErrorCode? = nil) {
        self.name = name
        expected = refusal?.rawValue ?? "ok"
        prefetch = operation.prefetch
        run = { transactor throws(StorageError) in Outcome(try transactor.perform(operation)) }
    }
}

extension ScriptStep.Outcome {
    init<Value>(_ result: Result<Value, APIError>) {
        switch result {
        case .success(let value): self.init(code: "ok", answer: "\(value)")
        case .failure(let error): self.init(code: error.code.rawValue, answer: "\(error)")
        }
    }
}

/// A store that is held against the others.
enum TestedStore: String, CaseIterable, Sendable {
    /// SQLite, which is asked for each fact when it is needed.
    case sqlite
    /// SQLite, which loads what is missing and is judged again, as a store that is far away.
    case loading
    /// ``ModelStore``.
    case model

    func transactor(at path: String, _ quota: RelayQuota) throws -> Transactor {
        let store = SQLiteStore(path: path, synchronous: .off)
        let lane: any CommitLane =
            switch self {
            case .sqlite: try SQLiteLane(path: path, options: store.options)
            case .loading: try SQLiteLane(path: path, options: store.options, loadsOnDemand: false)
            case .model: ModelStore.at(path).openLane()
            }
        return try Transactor(lane, quota: quota)
    }

    func dump(at path: String) throws -> StoreDump {
        switch self {
        case .sqlite, .loading: try StoreDump(path: path)
        case .model: StoreDump(ModelStore.at(path).rows)
        }
    }
}

extension Transactor {
    /// Performs steps in one batch.
    ///
    /// - Parameter prefetches: whether the store is told before what will be asked for.
    func batch(_ steps: [ScriptStep], at now: Int64, prefetches: Bool) throws -> [ScriptStep.Outcome] {
        try begin(prefetches ? steps.map(Prefetching.init) : [], at: now)
        var outcomes: [ScriptStep.Outcome] = []
        for step in steps { outcomes.append(try step.run(self)) }
        _ = try commit()
        return outcomes
    }
}

/// Says what a step asks for.
private struct Prefetching: WaitingOperation {
    let step: ScriptStep

    var prefetch: [FactKey] { step.prefetch }
    func run(on transactor: Transactor) -> @Sendable () -> Void { {} }
    func fail(_ error: APIError) {}
}

/// Somebody as the store knows them.
struct ScriptPerson: Sendable {
    let handle: Handle
    let account: AccountID
    let key: Curve25519.Signing.PublicKey
    let registration: Registration
    let verifier: SaltedVerifier
    let device: DeviceID
    let session = SessionID.random()
    let token = SecureRandom.bytes(count: 32)

    init(_ name: String) throws {
        let request = try Person.registration(name, relay: .random())
        handle = request.body.handle
        account = request.account
        device = request.keys.device
        key = request.keys.signing.publicKey
        verifier = SaltedVerifier(of: request.body.authenticator)
        registration = Registration(
            handle: handle,
            account: account,
            device: request.keys.record(relay: .random(), account: account, notAfter: 4_000_000_000),
            bundle: Array("{\"\(name)\"}".utf8),
            authenticator: request.body.authenticator,
            verifier: verifier
        )
    }

    var address: MailboxAddress { MailboxAddress(account: account, device: device) }
    var sender: Sender { Sender(account: account, device: device, session: session, expires: 0) }
    var login: CheckedLogin { CheckedLogin(address: address, verifier: verifier, key: key) }
    var refresh: RefreshToken { RefreshToken(session: session, secret: token) }

    /// The person's first session.
    func family(at now: Int64) -> RefreshFamily { RefreshFamily(session: session, first: token, at: now) }

    func register(at now: Int64) -> Register {
        Register(registration: registration, family: family(at: now), thumbprint: nil, tombstone: "gone:\(handle.text)")
    }

    func removal() -> AccountRemoval { AccountRemoval(account: account) { "gone:\($0.text)" } }

    func envelope(_ text: String = "key") -> AddressedEnvelope {
        AddressedEnvelope(account: account, device: device, body: Data(text.utf8))
    }
}
