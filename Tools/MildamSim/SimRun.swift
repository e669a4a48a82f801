import MildamSimulate
import MildamTerminal

/// Plays worlds, and says what came of them.
struct SimRun {
    /// Of so many worlds on, each thing that is counted has to have happened.
    private static let countedFrom: UInt64 = 500

    let arguments: SimArguments
    let console: Console

    /// Plays what was asked for.
    ///
    /// - Returns: whether everything held.
    func run() -> Bool {
        if let seed = arguments.seed { return arguments.shrinks ? shrink(seed) : play(seed) }
        return playAll()
    }

    private func say(_ line: String) { try? console.print(line) }

    /// One line on a terminal, which the next one takes the place of.
    private func progress(_ line: String) {
        guard console.understandsEscapes(.errors) else { return }
        try? console.print("\r\u{1b}[K\(line)", terminator: "", to: .errors)
    }

    private func playAll() -> Bool {
        var (failed, played) = ([UInt64](), UInt64(0))
        var coverage = Coverage()
        let start = Progress.monotonic()
        var (interruption, isInterrupted) = (Interruption(), false)
        for seed in arguments.firstSeed..<arguments.firstSeed + arguments.seeds {
            progress("seed \(seed), \(played) of \(arguments.seeds), \(failed.count) failed")
            let result = arguments.size.play(seed)
            played += 1
            coverage.add(result.coverage)
            let isSame = played > arguments.twice || arguments.size.play(seed).digest == result.digest
            if arguments.isJSON { say(result.json) }
            if !result.isGood || !isSame {
                progress("")
                failed.append(seed)
                for failure in result.failures { console.complain("seed \(seed): \(failure)") }
                if !isSame { console.complain("seed \(seed): another run of it is not the same") }
                if arguments.endsAtFailure { break }
            }
            isInterrupted = interruption.hasCome()
            if isInterrupted { break }
        }
        progress("")
        if !arguments.isJSON {
            for line in coverage.table { say(line) }
            let operations = Int64(played + min(played, arguments.twice)) * Int64(arguments.operations)
            say("\(operations * 1000 / max(1, Progress.monotonic() - start)) operations a second")
        }
        let missing = played >= SimRun.countedFrom ? coverage.missing(with: arguments.relay) : []
        for name in missing { console.complain("never happened: \(name)") }
        if let first = failed.first {
            let relay = arguments.relay == .usual ? "" : " --relay \(arguments.relay.rawValue)"
            let size = "--operations \(arguments.operations) --devices \(arguments.devices)\(relay)"
            console.complain("mildam-sim --seed \(first) \(size) shows what led to it; with --shrink, less of it")
        }
        if isInterrupted { console.complain("interrupted after \(played) of \(arguments.seeds) seeds") }
        let summary = "\(played) seeds, \(failed.count) failed"
        if arguments.isJSON {
            let seeds = failed.map { String($0) }.joined(separator: ",")
            say("{\"seeds\":\(played),\"failed\":[\(seeds)],\"counters\":\(coverage.json)}")
            console.complain(summary)
        } else {
            say(summary)
        }
        return failed.isEmpty && missing.isEmpty && !isInterrupted
    }

    private func play(_ seed: UInt64) -> Bool {
        let result = arguments.size.play(seed, only: arguments.only)
        if arguments.isJSON {
            say(result.json)
        } else {
            if !result.isGood { for line in result.last { say(line) } }
            for failure in result.failures { say("\(failure)") }
            say("1 seed, \(result.isGood ? 0 : 1) failed")
        }
        return result.isGood
    }

    private func shrink(_ seed: UInt64) -> Bool {
        let left = arguments.size.shrink(seed) { progress("\($0) operations left") }
        progress("")
        guard let left else {
            say("1 seed, 0 failed")
            return true
        }
        let plan = Plan(seed: seed, operations: arguments.operations, devices: arguments.devices)
        for place in left {
            let operation = plan.operations[place]
            say("\(place): at \(operation.at / 1000) s, person \(operation.person): \(operation.deed.rawValue)")
        }
        let places = left.map { String($0) }.joined(separator: ",")
        let relay = arguments.relay == .usual ? "" : " \(arguments.relay.rawValue)"
        say("\(seed) \(arguments.operations) \(arguments.devices) \(places)\(relay)")
        return false
    }
}
