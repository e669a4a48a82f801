/// What a seed decides (SplitMix64). Each purpose has dice of its own, and so has each thing that something is drawn for: another
/// draw for one does not move the others, and an operation that is left out changes nothing that is drawn for the rest.
package struct Dice: Sendable {
    /// What is drawn for.
    package enum Purpose: UInt64, Sendable {
        /// What is done, by whom and when.
        case plan = 1
        /// What people answer, and when.
        case people = 2
        /// What becomes of requests and answers.
        case network = 3
        /// Where clients and the relay end.
        case disk = 4
        /// Keys, ids and delays of a client.
        case keys = 5
    }

    private var state: UInt64

    /// The dice for one thing.
    ///
    /// - Parameter names: what names it among those of its purpose.
    package init(seed: UInt64, _ purpose: Purpose, _ names: UInt64...) {
        state = seed
        for name in [purpose.rawValue] + names {
            state = mixed(by: name)
        }
    }

    private func mixed(by name: UInt64) -> UInt64 { Dice.mix(state ^ (name &* 0x9E37_79B9_7F4A_7C15 &+ 1)) }

    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Dice.mix(state)
    }

    /// A number below a bound; 0 for a bound of 0.
    package mutating func roll(_ bound: UInt64) -> UInt64 { bound == 0 ? 0 : next() % bound }

    /// A number of a range.
    package mutating func roll(_ range: ClosedRange<UInt64>) -> UInt64 {
        range.lowerBound + roll(range.upperBound - range.lowerBound + 1)
    }

    /// Whether something happens that happens once in so many times.
    package mutating func isOne(in count: UInt64) -> Bool { roll(count) == 0 }

    /// So many bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
