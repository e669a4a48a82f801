import Foundation

/// The seed of a test run's random choices: `MILDAM_SEED`, or one that is drawn and printed.
public enum Seed {
    /// The run's seed.
    public static let value: UInt64 = {
        let given = ProcessInfo.processInfo.environment["MILDAM_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 1...UInt64(UInt32.max))
        print("MILDAM_SEED=\(seed)")
        return seed
    }()

    /// A generator of its own for the test of this name, the same for the same seed.
    public static func generator(for name: String) -> SeededGenerator {
        var state = value
        for byte in name.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return SeededGenerator(state: state)
    }
}

/// SplitMix64: repeatable random numbers for tests, never for keys.
public struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// `count` random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

/// How often a test repeats itself: few in `make test`, the full count in `make prove`.
public enum Count {
    /// `full` when `MILDAM_PROVE` is set, otherwise `few`.
    public static func of(few: Int, full: Int) -> Int {
        ProcessInfo.processInfo.environment["MILDAM_PROVE"] == nil ? few : full
    }
}

/// The cases of a test that has many: in `make test` a few of them, in `make prove` all.
public enum Cases {
    /// `few` of `all`, in their order, as the run's seed draws them for the test of this name; all when `MILDAM_PROVE` is set.
    public static func drawn<Case>(_ few: Int, of all: [Case], for name: String) -> [Case] {
        let count = Count.of(few: few, full: all.count)
        guard count < all.count else { return all }
        var generator = Seed.generator(for: name)
        return all.indices.shuffled(using: &generator).prefix(count).sorted().map { all[$0] }
    }
}
