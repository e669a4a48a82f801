import HouseSupport
import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// Many sends at once, and what came of them.
final class Burst: Sendable {
    struct State: Sendable {
        /// The numbers that were acknowledged.
        var acknowledged: [MessageID: UInt64] = [:]
        /// Every message that was tried, and who did.
        var owners: [MessageID: RelayCaller] = [:]
        var failed = 0
    }

    /// How many acknowledgements to wait for.
    let goal: Int
    /// A text of the room's present epoch: what is sent looks like it.
    let sample: RoomMessage
    private let shared = Lock(State())

    init(goal: Int, like sample: RoomMessage) {
        self.goal = goal
        self.sample = sample
    }

    var state: State { shared.withLock { $0 } }

    /// Sends one message after the other until the relay is gone, or `limit` of them. Each ends with its own id, by which
    /// it is told apart.
    func send(through caller: RelayCaller, to room: RoomID, limit: Int = .max) async {
        var count = 0
        while count < limit, !Task.isCancelled {
            let id = MessageID.random()
            shared.withLock { $0.owners[id] = caller }
            do {
                let number = try await caller.say(like: sample, ending: id.bytes, as: id, in: room)
                shared.withLock { $0.acknowledged[id] = number }
                count += 1
            } catch {
                return shared.withLock { $0.failed += 1 }
            }
        }
    }

    /// Waits until so many are acknowledged.
    func reached() async throws {
        while state.acknowledged.count < goal, state.failed == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
}
