import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// What is seldom changed of a room, and seldom by two at once.
enum Contest: String, CaseIterable {
    case remove, role, policy, timer, rename
    case renewRoom = "renew-room"
    /// A device that has new keys, and is away, is to lose its old leaf; all hear of it at once.
    case revoked

    /// What counts it.
    var counter: String { "contest:\(rawValue)" }
}

extension Simulation {
    /// In each room where an owner and another member reach the relay, the owner changes something, and the other one renews their
    /// keys in the same moment: one of them is too late. What is due for a device with new keys is due within half a minute.
    func contend() {
        guard oracle.failures.isEmpty else { return }
        for (number, room) in rooms.enumerated() {
            var dice = Dice(seed: seed, .people, UInt64(number), 5)
            let contests = UInt64(Contest.allCases.count)
            let contest = Contest.allCases[Int((seed % contests + UInt64(number)) % contests)]
            let able = clients.filter { client in
                guard let core = client.room(room) else { return false }
                return isOpen(client.line) && isReachable(client.person) && !client.core.store.isFull
                    && core.standing == .member && core.intents.isEmpty
            }
            guard let owner = able.first(where: { hasOwnersRights($0, in: room) }) else { continue }
            let others = able.filter { $0.person != owner.person }
            guard let rival = others.first, let subject = others.last else { continue }
            trace.note(.operation, at: now, owner.person, in: room, UInt64(subject.person), contest.counter)
            if contest == .revoked {
                let before = clients[place(of: subject.person)].keys
                renewDevice(subject.person, &dice)
                guard clients[place(of: subject.person)].keys > before else { continue }
                coverage.count(contest.counter)
                clients[place(of: subject.person)].cutUntil = now + 60_000
                let keys = clients[place(of: subject.person)].keys
                for client in able where client.person != subject.person {
                    hear(client.person, of: subject.person, keys)
                }
                continue
            }
            guard let wished = wish(for: contest, number, subject, owner.wholeRoom(room), &dice) else { continue }
            let stored = [wish(owner.person, wished, in: room), wish(rival.person, .renewKeys, in: room)]
            if stored == [true, true] { coverage.count(contest.counter) }
        }
        run(until: now + 40_000)
    }

    private func hasOwnersRights(_ client: SimulatedClient, in room: RoomID) -> Bool {
        client.wholeRoom(room)?.members?.hasOwnersRights(client.account) ?? false
    }

    /// What an owner changes: to something else than it is.
    private func wish(
        for contest: Contest,
        _ number: Int,
        _ subject: SimulatedClient,
        _ core: RoomCore?,
        _ dice: inout Dice
    ) -> Wish? {
        guard let core, let members = core.members else { return nil }
        switch contest {
        case .remove: return .remove(subject.account)
        case .role:
            let others = RoomRole.allCases.filter { $0 != members.role(of: subject.account) }
            return .role(subject.account, others[Int(dice.roll(UInt64(others.count)))])
        case .policy: return .policy(members.room.policy.symmetricDifference([.membersDescribe]))
        case .timer: return .timer(members.room.timer + 3_600)
        case .rename: return (try? RoomInfo(name: "garden of contest \(number)")).map { .rename($0) }
        case .renewRoom: return .renewRoom(above: core.generation)
        case .revoked: return nil
        }
    }
}
