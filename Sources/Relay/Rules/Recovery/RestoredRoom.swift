import MildamIdentity
import MildamRelayAPI

/// What is known of a room whose relay was put back not long ago: who has been heard since, and what they offer.
struct RestoredRoom: Equatable, Sendable {
    /// For how long somebody is waited for who has what is missing next, since something was shown or given back: a
    /// minute, in milliseconds.
    static let shortPatience: UInt64 = 60_000
    /// The same once half of all patience is used up: who has what is behind one of many gaps says so within seconds.
    static let shortestPatience: UInt64 = 5_000
    /// For how long members are waited for who were not heard, since the first one came: five minutes, in milliseconds.
    /// Once, however much is missing: who has a seat alone, or lacks nothing, may never show anything.
    static let longPatience: UInt64 = 300_000
    /// For how long a room waits beside that, all in all, whoever shows something and whatever is given back: ten minutes, in
    /// milliseconds.
    static let greatestPatience: UInt64 = 600_000
    /// How many numbers the relay can have lost: what members show is not believed beyond.
    static let maximumLost: UInt64 = 1 << 20

    /// The accounts that have shown what they know.
    var heard: Set<AccountID> = []
    /// For how long it is that the first member came, since the relay was started, in milliseconds.
    var age: UInt64 = 0
    /// For how long nothing was shown or given back, since the relay was started, in milliseconds.
    var silence: UInt64 = 0
    /// For how long something was waited for before that silence, all in all, in milliseconds.
    var waited: UInt64 = 0
    /// The number that was due when the first member came; 0 where that is not known.
    var base: UInt64 = 0
    /// The number that was due by the last answer that anybody has had; 0 where that is not known.
    var due: UInt64 = 0
    /// The highest number that a member had shown by then.
    var shown: UInt64 = 0
    /// The numbers of what is held until it is due, and how many devices offer each.
    var held: [UInt64: Int] = [:]
    /// Whether something new has got a number since.
    var hasGoneOn = false
    /// Whether the room was begun since, by its one member.
    var isNew = false

    /// Whether somebody may still show or give back what the room lacks.
    func isAwaited(in room: Room) -> Bool {
        if !isNew, age < Self.longPatience, !room.members.keys.allSatisfy(heard.contains) { return true }
        let silence = hasMoved(room) ? 0 : silence
        let patience = waited < Self.greatestPatience / 2 ? Self.shortPatience : Self.shortestPatience
        guard room.shown >= room.next, silence < patience else { return false }
        return waited + silence < Self.greatestPatience
    }

    /// Whether something was shown or given back just now, which nobody has been answered yet: what comes next is waited for anew. Not
    /// for ever, whoever shows ever more.
    private func hasMoved(_ room: Room) -> Bool {
        guard due > 0, age < Self.longPatience + Self.greatestPatience else { return false }
        return room.shown > shown || !hasGoneOn && room.next > due
    }

    /// Whether all patience is used up: what nobody has offered is waited for no more.
    var isOverdue: Bool { waited + silence >= Self.greatestPatience }

    /// Whether what is new waits: somebody may still give back what the room lacks, or has, and its turn comes. Nobody holds a room
    /// up by offering ever more, once it has gone on, or after all patience.
    func holdsUp(_ room: Room) -> Bool {
        if isAwaited(in: room) { return true }
        guard !hasGoneOn, age < Self.longPatience + Self.greatestPatience else { return false }
        return held.keys.contains { $0 >= room.next && $0 <= room.shown }
    }

    /// The numbers that are given up by now, so that what is behind them can be given back, or something new be said.
    func given(up room: Room) -> ClosedRange<UInt64>? {
        guard room.shown >= room.next, !isAwaited(in: room) else { return nil }
        guard let ahead = held.keys.filter({ $0 >= room.next }).min() else { return room.next...room.shown }
        return ahead > room.next ? room.next...min(room.shown, ahead - 1) : nil
    }
}

extension Room {
    /// The room once it goes on behind numbers that were lost.
    func passing(over lost: ClosedRange<UInt64>) -> Room {
        var room = self
        room.next = lost.upperBound + 1
        return room
    }

    /// The numbers that a new message passes over: no number is given to another message than the one that members know.
    var lostAhead: ClosedRange<UInt64>? { shown >= next ? next...shown : nil }

    /// The room once a member has shown a number that the relay lost.
    ///
    /// - Parameter base: the number that was due when the first member came; 0 where that is not known.
    /// - Returns: `nil` where it says nothing new, or what is not believed.
    func showing(_ number: UInt64, since base: UInt64) -> Room? {
        let first = base == 0 ? next : min(base, next)
        guard group != nil, number >= next, number > shown, number - first < RestoredRoom.maximumLost else {
            return nil
        }
        var room = self
        room.shown = number
        return room
    }
}

extension APIError {
    /// The relay was put back, and members are waited for.
    static let membersAreAwaited = APIError(
        .unavailable,
        "the relay was put back to an earlier state, and waits for what the room's members have; try again",
        number: 5
    )
}
