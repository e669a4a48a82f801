import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// What has to hold when nothing goes wrong any more.
extension Simulation {
    /// The clients of those who have an account.
    private var present: [SimulatedClient] { clients.filter { !$0.isDeleted } }

    /// Whether nobody wants anything, and all have read everything.
    var isAtRest: Bool { whoIsNotAtRest == nil }

    /// Somebody who wants something, or has not read everything, and where; `nil` for nobody.
    private var whoIsNotAtRest: (person: UInt8, room: RoomID?)? {
        for client in present {
            guard client.isRunning, client.isConnected, client.outstanding.isEmpty,
                !relay.hasMail(of: client.account)
            else { return (client.person, nil) }
            for room in rooms {
                if let core = client.room(room), !rests(core) { return (client.person, room) }
            }
        }
        for room in rooms {
            guard let state = relay.state(of: room) else { return (0, room) }
            let isOver = state.leaving == 0 || state.leaving == state.leaves.count
            guard isOver || !hasCommitter(room) else { return (0, room) }
        }
        return nil
    }

    /// Whether somebody is in a room who can let go who leaves: not one who leaves, nor one who has not said yes to coming in.
    private func hasCommitter(_ room: RoomID) -> Bool {
        present.contains { client in
            guard let core = client.room(room), [.member, .invited].contains(core.standing) else { return false }
            return !core.intents.contains { $0.wish == .leave }
        }
    }

    private func rests(_ core: RoomCore) -> Bool {
        switch core.standing {
        case .beginning: return false
        case .requested, .left, .removed: return true
        case .seated: return core.intents.isEmpty
        case .invited, .member:
            return core.trouble == nil && (core.intents.isEmpty || waitsToGo(in: core))
                && core.history.number == relay.last(of: core.room)
        }
    }

    /// Whether somebody leaves whom nobody can let go.
    private func waitsToGo(in core: RoomCore) -> Bool {
        core.intents.contains { $0.wish == .leave } && !hasCommitter(core.room)
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
            judgeDeleted(from: room)
            judgeRepairs(in: room)
        }
        judgeWishes()
        judgeTexts()
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
        present.filter { client in
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
                // Where it could be lost and given again, what the relay has says what is meant by all.
                if oracle.someWereAway, relay.message(entry.number, in: room)?.id != id { continue }
                if let other = known[entry.number], other != id {
                    let words = "shows another message under \(entry.number) than others do"
                    oracle.fail(.q2OneOrder, at: now, client.person, room, words)
                }
                known[entry.number] = id
            }
        }
    }

    /// Whether a message is one that the relay lost when it was put back, where nobody was there to show that it had the number.
    private func isOfBefore(_ id: MessageID, _ number: UInt64, in room: RoomID) -> Bool {
        guard oracle.someWereAway, let message = relay.message(number, in: room) else { return false }
        return message.id != id
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
        guard let state = relay.state(of: room), state.leaving < state.leaves.count, hasCommitter(room) else { return }
        for client in clients {
            guard !client.isDeleted, let core = client.room(room), core.standing == .left || core.standing == .removed,
                state.leaves.contains(client.account), !client.declined.contains(room)
            else { continue }
            // By the relay's list of rooms it is invited again (a profile that was put back to a copy with a wish to leave).
            guard !core.isLeftBehind || core.history.number == relay.last(of: room) else { continue }
            oracle.fail(.q5GoneIsGone, at: now, client.person, room, "is out, and has a leaf")
        }
    }

    /// Whoever has no account any more has neither leaf nor seat where somebody is who can take them out.
    private func judgeDeleted(from room: RoomID) {
        guard hasCommitter(room) else { return }
        for leaver in clients where leaver.isDeleted {
            for client in members(of: room)
            where client.wholeRoom(room)?.members?.contains(leaver.account) ?? false {
                let words = "has deleted the account, and is in the room by what \(client.person) knows"
                oracle.fail(.q5GoneIsGone, at: now, leaver.person, room, words)
            }
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
        for (repair, numbers) in numbers
        where numbers.count > 1 + oracle.timesBack[repair.device.bytes[1], default: 0] {
            let words = "came back \(numbers.count) times for \(repair.reason.cause) at \(repair.reason.number)"
            oracle.fail(.q6RepairsAreFew, at: now, repair.device.bytes[1], room, words)
        }
    }

    private func judgeWishes() {
        for (id, wished) in oracle.wishes.sorted(by: { $0.key < $1.key }) where !wished.isOver {
            // Whoever has been asked in and has not answered waits for nothing.
            guard let core = clients[place(of: wished.person)].room(wished.room) else { continue }
            // Who leaves, and whom nobody can let go yet, is told that it waits.
            guard !waitsToGo(in: core) || !core.intents.contains(where: { $0.id == id }) else { continue }
            let words = "was never told what came of a wish: \(wished.wish.name)"
            oracle.fail(.q3WishesAreOver, at: now, wished.person, wished.room, words)
        }
    }

    /// What was typed has been in the log, or its person still has it: among what waits, or what could not be said.
    private func judgeTexts() {
        for (id, wished) in oracle.wishes.sorted(by: { $0.key < $1.key }) where wished.wish.isSaid && !wished.isLost {
            let kept = clients[place(of: wished.person)].room(wished.room)?.storedIntents ?? []
            guard oracle.taken[id] == nil, !kept.contains(where: { $0.id == id }) else { continue }
            oracle.fail(.q8TextIsKept, at: now, wished.person, wished.room, "what was typed is nowhere")
        }
    }

    private func judgeTaken() {
        for (id, taken) in oracle.taken.sorted(by: { $0.key < $1.key }) {
            let isGivenAgain = taken.isGivenAgain || isOfBefore(id, taken.number, in: taken.room)
            let isLost = isGivenAgain || relay.lost(in: taken.room).contains { $0.contains(taken.number) }
            if let message = relay.message(taken.number, in: taken.room), message.id != id, !isLost {
                let words = "\(taken.number) was given twice"
                oracle.fail(.q2OneOrder, at: now, taken.person, taken.room, words)
            }
            if isLost { judgeLost(taken, id) }
            if taken.number > relay.last(of: taken.room) {
                let words = "\(taken.number) was acknowledged, and is not in the log"
                oracle.fail(.i5AcknowledgedIsLogged, at: now, taken.person, taken.room, words)
            }
            guard !isGivenAgain else { continue }
            for client in members(of: taken.room) where oracle.hasToHave(taken, client.account) {
                judge(taken, id, at: client)
            }
        }
    }

    /// What a relay lost that was put back, whoever said it says again, if they are in the room and were since; or they have it among
    /// what waits, or could not be said. Of what is older than three days, clients whose clocks are set may take it for older than seven.
    private func judgeLost(_ taken: Oracle.Taken, _ id: MessageID) {
        let author = clients[place(of: taken.person)]
        guard now - taken.at < 3 * 86_400_000, let wished = oracle.wishes[id], wished.wish.isSaid, !wished.isLost,
            let part = wished.wish.part, let core = author.room(taken.room), core.standing == .member,
            oracle.hasToHave(taken, author.account)
        else { return }
        let lost = relay.lost(in: taken.room)
        let isSaidAgain = author.core.store.memory.shown(in: taken.room).contains { entry in
            guard case .content(let bytes) = entry.kind, entry.account == author.account, let shown = entry.id,
                !isOfBefore(shown, entry.number, in: taken.room),
                !lost.contains(where: { $0.contains(entry.number) }),
                let content = try? MimiContent(encoded: bytes)
            else { return false }
            return content.part == part
        }
        guard !isSaidAgain, !core.storedIntents.contains(where: { $0.wish.part == part }) else { return }
        let words = "\(taken.number) was lost at the relay, and is not said again"
        oracle.fail(.q8TextIsKept, at: now, taken.person, taken.room, words)
    }

    /// Whether a reader has a message, or was told why not.
    private func judge(_ taken: Oracle.Taken, _ id: MessageID, at client: SimulatedClient) {
        let entries = client.core.store.memory.entries[taken.room] ?? [:]
        let isThere = (entries[taken.number] ?? []).contains { entry in
            guard case .content = entry.kind else { return false }
            return entry.id == id
        }
        guard !isThere else { return }
        let causes = entries.values.joined().compactMap { (entry) -> Cause? in
            switch entry.kind {
            case .unreadable(let cause): entry.number == taken.number ? cause : nil
            case .gap(let first, let cause): (first...entry.number).contains(taken.number) ? cause : nil
            case .content, .members, .settings, .cameBack, .renewed, .newKeys, .leaving: nil
            }
        }
        guard !causes.isEmpty else {
            oracle.fail(.q4NothingMissing, at: now, client.person, taken.room, "has nothing under \(taken.number)")
            return
        }
        guard causes.contains(.beforeComingIn), oracle.wasIn(client, at: taken) else { return }
        let words = "was in the room, and takes \(taken.number) for said before"
        oracle.fail(.q4NothingMissing, at: now, client.person, taken.room, words)
    }
}

/// That a device came back, and why.
private struct Repair: Hashable {
    let device: DeviceID
    let reason: RepairReason
}
