import MildamSystem

/// The agent's rules: what it answers to whom. It does no I/O of its own but the keychain's, and looks at its program's file.
final class KeychainAgent: Sendable {
    let keychain: LocalKeychain
    private let program: AgentExecutable
    private let limiter = Lock(TryLimiter())
    private let lastUse = Lock(ContinuousClock.now)

    init(_ keychain: LocalKeychain, _ program: AgentExecutable = AgentExecutable()) {
        self.keychain = keychain
        self.program = program
    }

    /// When somebody last used the open keychain.
    var lastUsed: ContinuousClock.Instant { lastUse.withLock { $0 } }

    /// The answer to anything but `unlock`, which takes its time.
    func answer(_ request: AgentRequest, _ caller: Caller) -> AgentReply {
        do throws(KeychainError) {
            guard caller.isOwner || !request.isForOwner else {
                throw .invalidRequest(reason: "only \(ProgramIdentity.own.executable) itself may ask for that")
            }
            return try reply(request, caller)
        } catch {
            return .failed(error)
        }
    }

    private func reply(_ request: AgentRequest, _ caller: Caller) throws(KeychainError) -> AgentReply {
        switch request {
        case .hello:
            return .agent(
                AgentInfo(
                    version: Version.text,
                    executable: program.path,
                    keychain: keychain.path,
                    file: keychain.file,
                    isOwner: caller.isOwner,
                    isReplaced: program.isReplaced
                )
            )
        case .state: return .state(keychain.state, keychain.identifier, keychain.counterState)
        case .lock:
            keychain.lock()
            return .done
        case .close:
            keychain.close()
            return .done
        case .readable: return .count(try keychain.readableItems())
        case .unlock, .stop: return .done
        case .verify: return .report(try keychain.verify())
        case .grants: return .grants(Array(try keychain.grants()))
        case .grant(let grant):
            try keychain.grant(grant)
            return .done
        case .revoke(let grant):
            try keychain.revoke(grant)
            return .done
        case .auditLog: return .auditLog(try keychain.auditLog())
        case .add, .set, .copyMatching, .update, .delete:
            lastUse.withLock { $0 = .now }
            return try items(request, caller)
        case .trash, .replace, .past, .pastSecret, .restore, .restoreUnchanged, .forget, .erase:
            lastUse.withLock { $0 = .now }
            return try past(request, caller)
        }
    }

    private func items(_ request: AgentRequest, _ caller: Caller) throws(KeychainError) -> AgentReply {
        switch request {
        case .add(let item): .reference(try keychain.add(item, caller))
        case .set(let item): .reference(try keychain.set(item, caller))
        case .copyMatching(let query, let limit, let returningSecrets):
            .items(
                try keychain.copyMatching(
                    query,
                    limit,
                    returningSecrets: returningSecrets,
                    caller,
                    atMost: AgentFrame.maximumSize
                )
            )
        case .update(let query, let change): .count(try keychain.update(query, change, caller))
        case .delete(let query): .count(try keychain.delete(query, caller))
        default: .done
        }
    }

    private func past(_ request: AgentRequest, _ caller: Caller) throws(KeychainError) -> AgentReply {
        switch request {
        case .trash(let reference): return .past([try keychain.trash(reference, caller)])
        case .replace(let reference, let change, let time):
            try keychain.replace(reference, change, unlessChangedSince: time, caller)
            return .done
        case .past(let reference):
            return .past(try keychain.past(of: reference, caller, atMost: AgentFrame.maximumSize))
        case .pastSecret(let number): return .secret(try keychain.pastSecret(number, caller))
        case .restore(let number): return .reference(try keychain.restore(number, caller))
        case .restoreUnchanged(let number, let time):
            return .reference(try keychain.restore(number, onto: SeenItem(time), caller))
        case .forget(let number): return .count(try keychain.forget(number, caller))
        case .erase(let reference):
            try keychain.erase(reference, caller)
            return .done
        default: return .done
        }
    }

    /// Opens the keychain, unless too many wrong secrets came.
    func unlock(_ secret: SlotSecret) async -> AgentReply {
        let pause = limiter.withLock { limiter in
            let pause = limiter.pause(at: .now)
            if pause == 0 { limiter.begin(at: .now) }
            return pause
        }
        guard pause == 0 else { return .failed(.tooManyTries(seconds: pause)) }
        do throws(KeychainError) {
            try await keychain.unlock(secret)
            limiter.withLock { $0.succeed() }
            lastUse.withLock { $0 = .now }
            return .done
        } catch {
            switch error {
            case .wrongSecret: break
            // It was the right one.
            case .changedFromOutside, .rolledBack, .locked: limiter.withLock { $0.succeed() }
            // What tells nothing of the secret is no try; nor does it make up for the tries before.
            default: limiter.withLock { $0.takeBack() }
            }
            return .failed(error)
        }
    }
}
