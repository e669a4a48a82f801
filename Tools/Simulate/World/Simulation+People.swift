import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// What people do.
extension Simulation {
    /// The rooms are made, and their first members are invited.
    func begin() {
        for client in clients { dial(client.person) }
        run(until: 10_000)
        for (number, room) in rooms.enumerated() {
            let owner = UInt8(1 + number % clients.count)
            guard let info = try? RoomInfo(name: "garden \(number)") else { continue }
            step(owner, [.create(room, info, [.membersInvite])])
        }
        run(until: 60_000)
        for (number, room) in rooms.enumerated() {
            let owner = UInt8(1 + number % clients.count)
            for client in clients where client.person != owner {
                var dice = Dice(seed: seed, .people, UInt64(number), UInt64(client.person), 3)
                guard dice.roll(10) < 6 else { continue }
                wish(owner, .invite(client.account, Cast.roomIdentity(client.person)), in: room)
            }
        }
    }

    /// A person does what the plan says, where they can.
    func perform(_ operation: Operation, _ index: Int) {
        let person = operation.person
        trace.note(.operation, at: now, person, UInt64(index), operation.deed.rawValue)
        coverage.count("deed:\(operation.deed.rawValue)")
        var dice = Dice(seed: operation.choice, .people)
        guard !befall(operation, &dice) else { return }
        let client = clients[place(of: person)]
        let memberships = client.memberships
        guard client.isRunning, !memberships.isEmpty else { return }
        let room = memberships[Int(dice.roll(UInt64(memberships.count)))]
        guard let core = client.wholeRoom(room),
            let wished = wish(for: operation.deed, index, client, core, &dice)
        else { return }
        if case .say(_, inReplyTo: _, blobs: let blobs) = wished { upload(blobs, to: room, client.device) }
        wish(person, wished, in: room)
    }

    private func wish(
        for deed: Operation.Deed,
        _ index: Int,
        _ client: SimulatedClient,
        _ core: RoomCore,
        _ dice: inout Dice
    ) -> Wish? {
        switch deed {
        case .say: return text(index, inReplyTo: nil, blobs: dice.isOne(in: 8) ? [Cast.blob(UInt32(index))] : [])
        case .reply: return text(index, inReplyTo: lastContent(client, in: core.room))
        case .invite: return outsider(core, &dice).map { Wish.invite(Cast.account($0), Cast.roomIdentity($0)) }
        case .remove: return member(core, but: client.account, &dice).map { Wish.remove($0) }
        case .leave: return .leave
        case .rename: return (try? RoomInfo(name: "garden at \(index)")).map { Wish.rename($0) }
        case .role:
            let role = RoomRole.allCases[Int(dice.roll(3))]
            return member(core, but: client.account, &dice).map { Wish.role($0, role) }
        case .policy: return .policy(dice.isOne(in: 2) ? [.membersInvite] : [.membersInvite, .membersDescribe])
        case .timer: return .timer(UInt32(dice.roll(4)) * 3_600)
        case .renewKeys: return .renewKeys
        case .renewRoom: return .renewRoom(above: core.generation)
        case .renewDevice, .goOffline, .endBeforeStoring, .endAfterStoring, .endNow, .copyProfile, .putProfileBack,
            .setClock, .halfOpen, .partition, .relayDown, .relayEndsBeforeStoring, .relayEndsAfterStoring, .copyRelay,
            .putRelayBack, .retention:
            return nil
        }
    }

    private func text(_ index: Int, inReplyTo id: ContentID?, blobs: [BlobID] = []) -> Wish? {
        (try? TextContent("said at \(index)")).map { Wish.say($0.part, inReplyTo: id, blobs: blobs) }
    }

    /// Files are with the relay before the message that names them is said (H32).
    private func upload(_ blobs: [BlobID], to room: RoomID, _ device: OwnDevice) {
        guard !blobs.isEmpty else { return }
        tellRelayTime()
        for blob in blobs { relay.upload(blob, to: room, from: device) }
        coverage.count(.fileNamed)
    }

    private func lastContent(_ client: SimulatedClient, in room: RoomID) -> ContentID? {
        for entry in client.core.store.memory.shown(in: room).reversed() {
            guard case .content(let bytes) = entry.kind, let account = entry.account,
                let content = try? MimiContent(encoded: bytes)
            else { continue }
            return content.id(from: account, in: room, on: Cast.relay)
        }
        return nil
    }

    private func outsider(_ core: RoomCore, _ dice: inout Dice) -> UInt8? {
        guard let members = core.members else { return nil }
        let others = clients.map(\.person).filter { !members.contains(Cast.account($0)) }
        return others.isEmpty ? nil : others[Int(dice.roll(UInt64(others.count)))]
    }

    private func member(_ core: RoomCore, but own: AccountID, _ dice: inout Dice) -> AccountID? {
        let others = (core.members?.accounts ?? []).subtracting([own]).sorted()
        return others.isEmpty ? nil : others[Int(dice.roll(UInt64(others.count)))]
    }

    /// A person accepts most invitations, declines some, and leaves some unanswered.
    func answerInvitation(_ person: UInt8, _ room: RoomID, _ times: UInt64) {
        let client = clients[place(of: person)]
        guard !client.isDeleted else { return }
        guard client.isRunning else {
            queue.put(.answerInvitation(person, room, times: times), at: now + 60_000)
            return
        }
        switch client.room(room)?.standing {
        case .requested, .seated, .invited: break
        case .beginning, .member, .left, .removed, nil: return
        }
        var dice = Dice(seed: seed, .people, UInt64(person), times, 4)
        trace.note(.answer, at: now, person, in: room)
        let index = place(of: person)
        switch dice.roll(20) {
        case 0: coverage.count(.unanswered)
        case 1, 2:
            coverage.count(.declined)
            // To a stranger nothing is said, not even that.
            if client.room(room)?.standing == .requested { clients[index].declined.insert(room) }
            wish(person, .leave, in: room)
        default:
            coverage.count(.accepted)
            clients[index].declined.remove(room)
            wish(person, .accept, in: room)
        }
    }

    /// A client hears of an account's newer list.
    func hear(_ person: UInt8, of other: UInt8, _ keys: UInt8) {
        let index = place(of: person)
        let before = clients[index].heard[other]
        guard before.map({ $0 < keys }) ?? true else { return }
        clients[index].heard[other] = keys
        trace.note(.hear, at: now, person, UInt64(other))
        let isHeard = step(person, [.list(KnownDeviceList(Cast.device(other, keys: keys).list, rotation: 0))])
        guard !isHeard, clients[index].isRunning else { return }
        // Its disk is full: it did not take that in, and hears it again.
        clients[index].heard[other] = before
        queue.put(.hear(person, of: other, keys: keys), at: now + 60_000)
    }
}
