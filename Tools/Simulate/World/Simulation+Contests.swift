import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// What is seldom changed of a room, and seldom by two at once.
private enum Contest: CaseIterable {
    case remove, role, policy, timer, rename, renewRoom
    /// A device that has new keys, and is away, is to lose its old leaf; all hear of it at once.
    case revoked
}

extension Simulation {
    /// In each room an owner changes something, and another member renews their keys in the same moment: one of them is too late.
    /// What is due for a device with new keys is due within half a minute.
    func contend() {
        for (number, room) in rooms.enumerated() {
            var dice = Dice(seed: seed, .people, UInt64(number), 5)
            let contests = UInt64(Contest.allCases.count)
            let contest = Contest.allCases[Int((seed % contests + UInt64(number)) % contests)]
            let able = clients.filter { client in
                guard let core = client.room(room) else { return false }
                return client.isRunning && client.isConnected && core.standing == .member && core.intents.isEmpty
            }
            guard let owner = able.first(where: { hasOwnersRights($0, in: room) }) else { continue }
            let others = able.filter { $0.person != owner.person }
            guard let rival = others.first, let subject = others.last else { continue }
            if contest == .revoked {
                clients[place(of: subject.person)].cutUntil = now + 60_000
                renewDevice(subject.person, &dice)
                let keys = clients[place(of: subject.person)].keys
                for client in able where client.person != subject.person {
                    hear(client.person, of: subject.person, keys)
                }
                continue
            }
            if let wished = wish(for: contest, number, subject, owner.wholeRoom(room), &dice) {
                wish(owner.person, wished, in: room)
            }
            wish(rival.person, .renewKeys, in: room)
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
