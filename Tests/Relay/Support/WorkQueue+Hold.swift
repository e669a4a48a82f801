import MildamRelayAPI
import MildamSystem

@testable import MildamRelay

extension WorkQueue {
    /// Makes a thread wait until it is let go.
    func hold(for turn: Turn = .relay) -> Handover<Void> {
        let (holds, gate) = (Handover<Void>(), Handover<Void>())
        perform(for: turn) { _ in
            holds.give(())
            gate.take()
            return .success(())
        } then: { (_: Result<Void, APIError>) in
        }
        holds.take()
        return gate
    }
}
