import MildamClientCore
import MildamIdentity
import MildamRoomRules

/// What has to hold when nothing goes wrong any more.
extension Simulation {
    /// Whether nobody wants anything, and all have read everything.
    var isAtRest: Bool { whoIsNotAtRest == nil }

    /// Somebody who wants something, or has not read everything, and where; `nil` for nobody.
    private var whoIsNotAtRest: (person: UInt8, room: RoomID?)? {
        for client in clients {
            guard client.isRunning, client.isConnected, client.outstanding.isEmpty,
                !relay.hasMail(of: client.account)
            else { return (client.person, nil) }
            for room in rooms {
                if let core = client.room(room), !rests(core) { return (client.person, room) }
            }
        }
        for room in rooms {
            guard let state = relay.state(of: room), state.leaving == 0 || state.leaving == state.leaves.count else {
                return (0, room)
            }
        }
        return nil
    }

    private func rests(_ core: RoomCore) -> Bool {
        switch core.standing {
        case .beginning: return false
        case .requested, .left, .removed: return true
        case .seated: return core.intents.isEmpty
        case .invited, .member:
            return core.trouble == nil && core.intents.isEmpty && core.history.number == relay.last(of: core.room)
        }
    }

    /// Judges a world in which it should be quiet.
    func judgeQuiet() {
        if let (person, room) = whoIsNotAtRest {
            oracle.fail(.q7QuietComes, at: now, person, room, unrest(of: person, in: room))
            return
        }
        for room in rooms {
            judgeEpoch(of: room)
            judgeOrder(of: room)
            judgeHistory(of: room)
            judgeGone(from: room)
            judgeRepairs(in: room)
        }
        judgeWishes()
        judgeTaken()
    }

    private func unrest(of person: UInt8, in room: RoomID?) -> String {
        guard person > 0 else { return "somebody who leaves is not let go" }
        let client = clients[place(of: person)]
        guard let room, let core = client.room(room) else {
            return "is not at rest: \(client.outstanding.count) requests, \(client.isConnected ? "" : "not ")connected"
        }
        let wishes = core.intents.map(\.wish.name).joined(separator: ", ")
        let trouble = core.trouble.map { ", trouble: \($0.cause.code)" } ?? ""
        return "is not at rest: \(core.history.number) of \(relay.last(of: room)) read, wishes: [\(wishes)]\(trouble)"
    }

    /// Those who have a leaf by what they know.
    private func members(of room: RoomID) -> [SimulatedClient] {
        clients.filter { client in
            let standing = client.room(room)?.standing
            return standing == .member || standing == .invited
        }
    }

    private func judgeEpoch(of room: RoomID) {
        guard let state = relay.state(of: room) else { return }
        var authenticator: [UInt8]?
        for client in members(of: room) {
            let (person, core) = (client.person, client.wholeRoom(room))
            // Whoever had not answered when the generation began has a seat in it, and no leaf (H7, H9).
            let hasSeatAlone = core?.isInvitedToSeat == true && !state.leaves.contains(client.account)
            if hasSeatAlone, core?.generation == state.generation { continue }
            guard core?.generation == state.generation, core?.group?.publicGroup.context.epoch == state.epoch else {
                oracle.fail(.q1OneEpoch, at: now, person, room, "is not in epoch \(state.epoch) of the relay")
                continue
            }
            guard let own = core?.epochAuthenticator else {
                oracle.fail(.q1OneEpoch, at: now, person, room, "has no group")
                continue
            }
            if let authenticator, authenticator != own {
                oracle.fail(.q1OneEpoch, at: now, person, room, "is in another epoch \(state.epoch)")
            }
            authenticator = own
        }
    }

    private func judgeOrder(of room: RoomID) {
        var known: [UInt64: MessageID] = [:]
        for client in clients {
            for entry in client.core.store.memory.shown(in: room) {
                guard let id = entry.id else { continue }
                if let other = known[entry.number], other != id {
                    let words = "shows another message under \(entry.number) than others do"
                    oracle.fail(.q2OneOrder, at: now, client.person, room, words)
                }
                known[entry.number] = id
            }
        }
    }

    /// Whoever has read everything has one running hash, or none yet. What a relay lost that was put back may have been read by some.
    private func judgeHistory(of room: RoomID) {
        var known: [UInt8]?
        for client in members(of: room) {
            guard let core = client.room(room), core.history.number == relay.last(of: room), let own = core.history.hash
            else { continue }
            if core.invitedBy != nil, relay.state(of: room)?.leaves.count ?? 0 > 2 { coverage.count("joiner-compares") }
            if let known, known != own, !oracle.relayWentBack {
                oracle.fail(.q2OneOrder, at: now, client.person, room, "has another running hash than others")
            }
            known = own
        }
    }

    private func judgeGone(from room: RoomID) {
        guard let state = relay.state(of: room), state.leaving < state.leaves.count else { return }
        for client in clients {
            guard let standing = client.room(room)?.standing, standing == .left || standing == .removed,
                state.leaves.contains(client.account), !client.declined.contains(room)
            else { continue }
            oracle.fail(.q5GoneIsGone, at: now, client.person, room, "is out, and has a leaf")
        }
    }

    private func judgeRepairs(in room: RoomID) {
        var numbers: [Repair: Set<UInt64>] = [:]
        for client in clients {
            for entry in client.core.store.memory.shown(in: room) {
                guard case .cameBack(let reason?) = entry.kind, let device = entry.device else { continue }
                numbers[Repair(device: device, reason: reason), default: []].insert(entry.number)
            }
        }
        for (repair, numbers) in numbers where numbers.count > 1 {
            let words = "came back \(numbers.count) times for \(repair.reason.cause) at \(repair.reason.number)"
            oracle.fail(.q6RepairsAreFew, at: now, repair.device.bytes[1], room, words)
        }
    }

    private func judgeWishes() {
        for (_, wished) in oracle.wishes.sorted(by: { $0.key < $1.key }) where !wished.isOver {
            let standing = clients[place(of: wished.person)].room(wished.room)?.standing
            // Whoever has been asked in and has not answered waits for nothing.
            guard standing != nil else { continue }
            let words = "was never told what came of a wish: \(wished.wish.name)"
            oracle.fail(.q3WishesAreOver, at: now, wished.person, wished.room, words)
        }
    }

    private func judgeTaken() {
        for (id, taken) in oracle.taken.sorted(by: { $0.key < $1.key }) {
            let isLost = relay.lost(in: taken.room).contains { $0.contains(taken.number) }
            if let message = relay.message(taken.number, in: taken.room), message.id != id, !isLost {
                let words = "\(taken.number) was given twice"
                oracle.fail(.q2OneOrder, at: now, taken.person, taken.room, words)
            }
            if taken.number > relay.last(of: taken.room) {
                let words = "\(taken.number) was acknowledged, and is not in the log"
                oracle.fail(.i5AcknowledgedIsLogged, at: now, taken.person, taken.room, words)
            }
            for client in members(of: taken.room) where oracle.hasToHave(taken, client.account) {
                judge(taken, at: client)
            }
        }
    }

    /// Whether a reader has a message, or was told why not.
    private func judge(_ taken: Oracle.Taken, at client: SimulatedClient) {
        let entries = client.core.store.memory.entries[taken.room] ?? [:]
        let isThere = (entries[taken.number] ?? []).contains { entry in
            switch entry.kind {
            case .content, .unreadable: true
            case .gap, .members, .settings, .cameBack, .renewed, .newKeys, .leaving: false
            }
        }
        guard !isThere else { return }
        let isInGap = entries.values.joined().contains { entry in
            guard case .gap(let first, _) = entry.kind else { return false }
            return (first...entry.number).contains(taken.number)
        }
        guard !isInGap else { return }
        oracle.fail(.q4NothingMissing, at: now, client.person, taken.room, "has nothing under \(taken.number)")
    }
}

/// That a device came back, and why.
private struct Repair: Hashable {
    let device: DeviceID
    let reason: RepairReason
}
