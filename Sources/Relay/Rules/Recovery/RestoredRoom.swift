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
    /// How many numbers a member can show that the relay lost: what it says is not believed beyond.
    static let maximumLost: UInt64 = 1 << 20

    /// The accounts that have shown what they know.
    var heard: Set<AccountID> = []
    /// For how long it is that the first member came, since the relay was started, in milliseconds.
    var age: UInt64 = 0
    /// For how long nothing was shown or given back, since the relay was started, in milliseconds.
    var silence: UInt64 = 0
    /// For how long something was waited for before that silence, all in all, in milliseconds.
    var waited: UInt64 = 0
    /// The lowest number above what is missing that somebody has offered; `nil` for none.
    var offered: UInt64?
    /// Whether something new has got a number since.
    var hasGoneOn = false
    /// Whether the room was begun since, by its one member.
    var isNew = false

    /// Whether somebody may still show or give back what the room lacks.
    func isAwaited(in room: Room) -> Bool {
        if !isNew, age < Self.longPatience, !room.members.keys.allSatisfy(heard.contains) { return true }
        let patience = waited < Self.greatestPatience / 2 ? Self.shortPatience : Self.shortestPatience
        guard room.shown >= room.next, silence < patience else { return false }
        return waited + silence < Self.greatestPatience
    }

    /// The numbers that are given up by now, so that what is behind them can be given back, or something new be said.
    func given(up room: Room) -> ClosedRange<UInt64>? {
        guard room.shown >= room.next, !isAwaited(in: room) else { return nil }
        // Where the room has gone on past what was offered, that is of no use any more.
        guard let offered, offered > room.next else { return room.next...room.shown }
        return room.next...min(room.shown, offered - 1)
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
    /// - Returns: `nil` where it says nothing new, or what is not believed.
    func showing(_ number: UInt64) -> Room? {
        guard group != nil, number >= next, number > shown, number - next < RestoredRoom.maximumLost else { return nil }
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
