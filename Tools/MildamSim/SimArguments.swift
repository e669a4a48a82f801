import MildamSimulate

/// What mildam-sim is to do.
struct SimArguments {
    /// Why a command line cannot be understood.
    struct Misuse: Error {
        let words: String
    }

    static let usage = """
        usage: mildam-sim [--seeds N] [--first-seed N] [--operations N] [--devices N] [--relay KIND] [--twice N]
                          [--until-failure] [--json]
               mildam-sim --seed N [--shrink] [--only PLACE,…] [--operations N] [--devices N] [--relay KIND] [--json]
               mildam-sim --planted-faults

        Plays worlds of clients and a relay, each from a seed: what people do, and what befalls network, disks and clocks.
        Ends with how often each thing happened and "500 seeds, 0 failed", and with status 0 where that is so; 1 where
        something did not hold, where of 500 worlds or more something never happened that does, or after Ctrl-C, which
        ends the run behind the world that is being played; 2 where the command line cannot be understood.

          --seeds N         so many worlds (10)
          --first-seed N    the seed of the first one (1)
          --operations N    so many operations in each (400)
          --devices N       so many people with one device each, 2 to 200 (30)
          --relay KIND      with the relay's own code (store), or a model of it (model) (\(RelayKind.usual.rawValue))
          --twice N         the first N are played twice, and both have to be the same (0)
          --until-failure   ends at the first one that fails
          --seed N          plays one world, and shows its last 200 events where something did not hold
          --shrink          leaves out operations for as long as it still fails, and says which are left
          --only PLACE,…    does only the operations at these places of the plan, counted from 0
          --json            a line of JSON for each world, and one for all of them
          --planted-faults  names the mistakes that a build with -D MUTANTS can be made to make (MILDAM_CLIENT_MUTANT)
        """

    private(set) var seeds: UInt64 = 10
    private(set) var firstSeed: UInt64 = 1
    private(set) var operations = 400
    private(set) var devices: UInt8 = 30
    private(set) var relay = RelayKind.usual
    private(set) var twice: UInt64 = 0
    private(set) var seed: UInt64?
    private(set) var only: Set<Int>?
    private(set) var endsAtFailure = false
    private(set) var shrinks = false
    private(set) var isJSON = false
    private(set) var namesFaults = false
    private(set) var wantsHelp = false

    /// How large the worlds are.
    var size: WorldSize { WorldSize(operations: operations, devices: devices, relay: relay) }

    /// - Throws: ``Misuse``.
    init(_ words: [String]) throws(Misuse) {
        var words = words[...]
        while let option = words.popFirst() {
            switch option {
            case "--seeds": seeds = try SimArguments.number(option, &words, 1...1_000_000)
            case "--first-seed": firstSeed = try SimArguments.number(option, &words, 0...UInt64.max / 2)
            case "--operations": operations = Int(try SimArguments.number(option, &words, 1...100_000))
            case "--devices": devices = UInt8(try SimArguments.number(option, &words, 2...200))
            case "--relay": relay = try SimArguments.relay(&words)
            case "--twice": twice = try SimArguments.number(option, &words, 0...1_000_000)
            case "--seed": seed = try SimArguments.number(option, &words, 0...UInt64.max / 2)
            case "--only": only = try SimArguments.places(option, &words)
            case "--until-failure": endsAtFailure = true
            case "--shrink": shrinks = true
            case "--json": isJSON = true
            case "--planted-faults": namesFaults = true
            case "--help", "-h": wantsHelp = true
            default: throw Misuse(words: "there is no option \(option)")
            }
        }
        guard seed != nil || !shrinks && only == nil else {
            throw Misuse(words: "--shrink and --only are for one world: name it with --seed")
        }
    }

    private static func number(
        _ option: String,
        _ words: inout ArraySlice<String>,
        _ range: ClosedRange<UInt64>
    ) throws(Misuse) -> UInt64 {
        guard let word = words.popFirst(), let number = UInt64(word), range.contains(number) else {
            throw Misuse(words: "\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func relay(_ words: inout ArraySlice<String>) throws(Misuse) -> RelayKind {
        guard let kind = words.popFirst().flatMap({ RelayKind(rawValue: $0) }) else {
            throw Misuse(words: "--relay takes \(RelayKind.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        return kind
    }

    private static func places(_ option: String, _ words: inout ArraySlice<String>) throws(Misuse) -> Set<Int> {
        let places = (words.popFirst() ?? "").split(separator: ",").map { Int($0) }
        guard !places.isEmpty, places.allSatisfy({ $0 != nil }) else {
            throw Misuse(words: "\(option) takes places of the plan: 3,17,40")
        }
        return Set(places.compactMap { $0 })
    }
}
