import MildamClientAPI
import MildamIdentity

/// How far transfers are, and who waits for their end.
struct TransferLedger {
    /// How many ends are remembered.
    static let kept = 1000

    private var states: [MessageID: WishOutcome] = [:]
    private var ended: [MessageID] = []
    private var waiting: [MessageID: [Int: CheckedContinuation<Void, Never>]] = [:]
    private var lastWaiter = 0

    /// How far one is; `nil` for one that is not known.
    subscript(id: MessageID) -> WishOutcome? { states[id] }

    /// One is so far now; one that has ended stays so.
    mutating func note(_ state: WishOutcome, of id: MessageID) {
        guard states[id]?.isEnd != true else { return }
        states[id] = state
        guard state.isEnd else { return }
        ended.append(id)
        while ended.count > TransferLedger.kept { states[ended.removeFirst()] = nil }
        for waiter in waiting.removeValue(forKey: id) ?? [:] { waiter.value.resume() }
    }

    /// A number for somebody who is about to wait.
    mutating func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// Somebody waits for the end of one.
    mutating func wait(for id: MessageID, _ waiter: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard states[id]?.isEnd == false else { return continuation.resume() }
        waiting[id, default: [:]][waiter] = continuation
    }

    /// Somebody waits no longer.
    mutating func giveUp(_ id: MessageID, _ waiter: Int) {
        waiting[id]?.removeValue(forKey: waiter)?.resume()
    }
}

extension WishOutcome {
    /// Whether nothing more comes of it.
    var isEnd: Bool {
        switch self {
        case .done, .failed, .unknown: true
        case .waiting, .moving: false
        }
    }
}
