/// Something that is done to the world at a moment: by people, or by what goes wrong.
package struct Operation: Hashable, Sendable {
    /// What is done.
    package enum Deed: String, CaseIterable, Sendable {
        /// People.
        case say, reply, invite, remove, leave, rename, role, policy, timer, renewKeys, renewRoom, renewDevice
        /// A client goes away for a minute to 120 days, or ends at a moment.
        case goOffline, endBeforeStoring, endAfterStoring, endNow
        /// A client's profile is copied; a copy is put back.
        case copyProfile, putProfileBack
        /// A client's clock is set.
        case setClock
        /// Connections: one dies half open, some clients cannot reach the relay, nobody can.
        case halfOpen, partition, relayDown
        /// The relay ends before or after it has stored a request.
        case relayEndsBeforeStoring, relayEndsAfterStoring
        /// The relay is copied, and a copy is put back.
        case copyRelay, putRelayBack
        /// The relay keeps only the last messages of a room.
        case retention

        /// How often it is drawn.
        var weight: UInt64 {
            switch self {
            case .say: 120
            case .reply: 20
            case .invite: 24
            case .renewKeys, .goOffline, .endAfterStoring, .endNow: 12
            case .remove, .rename, .role, .timer, .endBeforeStoring, .copyProfile: 8
            case .leave, .policy, .setClock, .halfOpen, .partition, .copyRelay: 6
            case .renewDevice, .relayDown, .relayEndsBeforeStoring, .relayEndsAfterStoring, .putProfileBack: 4
            case .renewRoom, .retention: 2
            case .putRelayBack: 2
            }
        }
    }

    /// When, in milliseconds since the world began.
    package let at: UInt64
    /// What.
    package let deed: Deed
    /// Whose.
    package let person: UInt8
    /// What decides the rest.
    package let choice: UInt64
}

/// What happens in a world, before anything of it has: all from the seed.
package struct Plan: Sendable {
    /// When the rooms are made and their first members are in: ten minutes.
    static let beginning: UInt64 = 600_000

    /// The operations, in their order.
    package let operations: [Operation]

    /// Draws so many operations.
    package init(seed: UInt64, operations count: Int, devices: UInt8) {
        var moment = Plan.beginning
        operations = (0..<count).map { index in
            var dice = Dice(seed: seed, .plan, UInt64(index))
            moment += Plan.pause(&dice)
            return Operation(
                at: moment,
                deed: Plan.deed(&dice),
                person: UInt8(1 + dice.roll(UInt64(devices))),
                choice: dice.next()
            )
        }
    }

    /// Six of ten follow at once, one comes after hours or days.
    private static func pause(_ dice: inout Dice) -> UInt64 {
        switch dice.roll(100) {
        case 0..<60: dice.roll(3_000)
        case 60..<94: dice.roll(300_000)
        case 94..<99: dice.roll(6 * 3_600_000)
        default: dice.roll(4 * 86_400_000)
        }
    }

    private static func deed(_ dice: inout Dice) -> Operation.Deed {
        var rest = dice.roll(Operation.Deed.allCases.reduce(0) { $0 + $1.weight })
        for deed in Operation.Deed.allCases {
            guard rest >= deed.weight else { return deed }
            rest -= deed.weight
        }
        return .say
    }
}
