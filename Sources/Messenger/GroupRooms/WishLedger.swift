import MildamClientCore
import MildamIdentity

/// What came of wishes since the process began, and who waits for it.
struct WishLedger {
    /// How many outcomes are remembered.
    static let kept = 1000

    private var byWish: [MessageID: WishProgress] = [:]
    private var order: [MessageID] = []
    private var reasons: [MessageID: String] = [:]
    private var waiting: [MessageID: [Int: CheckedContinuation<WishProgress, Never>]] = [:]
    private var lastWaiter = 0

    /// What came of the last wishes, in the order in which it came.
    var outcomes: [(id: MessageID, outcome: WishProgress)] {
        order.compactMap { id in byWish[id].map { (id, $0) } }
    }

    /// Takes over what came of wishes before.
    mutating func remember(_ outcomes: [(id: MessageID, outcome: WishProgress)]) {
        for (id, outcome) in outcomes { end(id, outcome) }
    }

    /// Takes note of what the core says of a wish; of other notices nothing.
    mutating func take(_ notice: Notice) {
        switch notice {
        case .wishIsDone(let id, let number): end(id, .done(number: number))
        case .wishFailed(let id, let code): end(id, .failed(code: code))
        case .wishWaits(let id, let code): reasons[id] = code
        default: break
        }
    }

    private mutating func end(_ id: MessageID, _ outcome: WishProgress) {
        reasons[id] = nil
        if byWish.updateValue(outcome, forKey: id) == nil { order.append(id) }
        while order.count > WishLedger.kept { byWish[order.removeFirst()] = nil }
        for waiter in waiting.removeValue(forKey: id) ?? [:] { waiter.value.resume(returning: outcome) }
    }

    /// How far a wish is.
    ///
    /// - Parameter isTakenOn: whether a room has it and it is not so yet.
    func progress(of id: MessageID, isTakenOn: Bool) -> WishProgress {
        byWish[id] ?? (isTakenOn ? .waiting(code: reasons[id]) : .unknown)
    }

    /// A number for somebody who is about to wait.
    mutating func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// Somebody waits.
    mutating func wait(for id: MessageID, _ waiter: Int, _ continuation: CheckedContinuation<WishProgress, Never>) {
        waiting[id, default: [:]][waiter] = continuation
    }

    /// Somebody waits no longer.
    mutating func giveUp(_ id: MessageID, _ waiter: Int) {
        let continuation = waiting[id]?.removeValue(forKey: waiter)
        continuation?.resume(returning: .waiting(code: reasons[id]))
    }

    /// Nobody waits any longer.
    mutating func giveUpAll() {
        for (id, waiters) in waiting {
            for waiter in waiters.values { waiter.resume(returning: .waiting(code: reasons[id])) }
        }
        waiting = [:]
    }
}
