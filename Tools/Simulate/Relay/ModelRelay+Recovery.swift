import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// A relay that was put back: what its members give back, and what is given up (H41).
extension ModelRelay {
    /// This copy takes the relay's place, at once. Key packages are forgotten but for those of last resort: some were claimed since.
    package func restored(as incarnation: UInt8) -> ModelRelay {
        var relay = self
        relay.incarnation = incarnation
        relay.keyPackages = keyPackages.mapValues { Array($0.suffix(1)) }
        return relay
    }

    /// This copy takes the relay's place; what lies in mailboxes, and what accounts have published, is as it was.
    package func restored(as incarnation: UInt8, inPlaceOf present: ModelRelay) -> ModelRelay {
        var relay = PlantedFault.givesNumbersTwice.isPresent ? self : restored(as: incarnation)
        relay.mail = present.mail
        relay.seats = present.seats
        relay.devices = present.devices
        relay.milliseconds = present.milliseconds
        relay.steady = present.steady
        relay.isTakingBack = !PlantedFault.givesNumbersTwice.isPresent
        relay.hasTakenBack = false
        relay.putBack = present.milliseconds
        for id in relay.rooms.keys { relay.rooms[id]?.blamed = BlamedCommitters() }
        return relay
    }

    /// Numbers again, above what any member has shown, once nobody has more that it takes.
    package mutating func endTakingBack(offered: [RoomID: [UInt64]]) -> Bool {
        guard isTakingBack else { return true }
        isTakingBack = false
        for id in rooms.keys.sorted() { endTakingBack(id, offered: offered[id] ?? []) }
        if !isTakingBack { (waitedAt, hasTakenBack) = ([:], true) }
        return !isTakingBack
    }

    /// What is held is taken, whatever is missing before it. Who has what comes next, and has not given it back, is waited for once.
    private mutating func endTakingBack(_ id: RoomID, offered: [UInt64]) {
        takeHeld(in: id)
        while let room = rooms[id], room.last < room.shown {
            if let first = room.held.keys.min() {
                giveUp(upTo: first - 1, in: id)
            } else if let first = offered.first(where: { $0 > room.last }), first <= room.shown,
                waitedAt[id] != room.last
            {
                giveUp(upTo: first - 1, in: id)
                waitedAt[id] = last(of: id)
                isTakingBack = true
                return
            } else {
                giveUp(upTo: room.shown, in: id)
            }
            takeHeld(in: id)
        }
    }

    /// What was not given back is given up: new numbers begin above it.
    package mutating func giveUp(upTo number: UInt64, in room: RoomID) {
        let first = last(of: room) + 1
        guard first <= number else { return }
        rooms[room]?.lost.append(first...number)
    }

    /// What members give back is held until it is due.
    mutating func refill(_ messages: [NumberedMessage], _ id: RoomID, for account: AccountID) -> RelayReply {
        show(messages.last?.number ?? 0, in: id)
        for message in messages where message.number > last(of: id) { rooms[id]?.held[message.number] = message }
        takeHeld(in: id)
        return .refilled(page(id, after: last(of: id), for: account))
    }

    /// A member shows that it knows a number. Where nothing is taken back any more, what is missing is given up.
    mutating func show(_ number: UInt64, in id: RoomID) {
        guard let room = rooms[id], number > room.shown else { return }
        rooms[id]?.shown = number
        if hasTakenBack { giveUp(upTo: number, in: id) }
    }

    /// What is held is taken as far as nothing is missing before it.
    private mutating func takeHeld(in id: RoomID) {
        while let room = rooms[id], let message = room.held[room.last + 1] {
            rooms[id]?.held[message.number] = nil
            takeBack(message, in: id)
        }
        guard let room = rooms[id] else { return }
        rooms[id]?.held = room.held.filter { $0.key > room.last }
    }

    private mutating func takeBack(_ message: NumberedMessage, in id: RoomID) {
        let isTaken =
            switch (message.kind, try? MLSMessage(wireBytes: message.body)) {
            case (.application, .privateMessage(let sealed)?): sealed.epoch == rooms[id]?.group.context.epoch
            case (.generation, _): renew(id, by: message.body)
            case (_, .publicMessage(let content)?): follow(content, message.body, groupInfo: [], in: id)
            default: false
            }
        if isTaken { rooms[id]?.append(message.withoutKey) }
    }
}
