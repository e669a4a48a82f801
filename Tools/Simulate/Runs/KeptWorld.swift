/// A world that once failed, and is played in every run of the tests: `SEED OPERATIONS DEVICES [PLACE,…] [RELAY]`, where the
/// places are those of the operations that are done, and RELAY is the ``RelayKind``, unless it is the usual one.
package struct KeptWorld: Hashable, Sendable {
    /// The seed.
    package let seed: UInt64
    /// How large it is.
    package let size: WorldSize
    /// Which operations are done; `nil` for all.
    package let only: Set<Int>?

    /// Reads a line; `nil` for one that is none.
    package init?(_ line: some StringProtocol) {
        var words = line.split(separator: " ")
        let relay = words.last.flatMap { RelayKind(rawValue: String($0)) }
        if relay != nil { words.removeLast() }
        guard (3...4).contains(words.count), let seed = UInt64(words[0]), let operations = Int(words[1]),
            let devices = UInt8(words[2]), operations > 0, (2...200).contains(devices)
        else { return nil }
        self.seed = seed
        size = WorldSize(operations: operations, devices: devices, relay: relay ?? .usual)
        guard words.count == 4 else {
            only = nil
            return
        }
        let places = words[3].split(separator: ",").map { Int($0) }
        guard places.allSatisfy({ $0 != nil }) else { return nil }
        only = Set(places.compactMap { $0 })
    }

    /// The worlds of a file: one a line; what begins with `#` is said to people.
    ///
    /// - Returns: `nil` where a line is none.
    package static func list(_ text: String) -> [KeptWorld]? {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let worlds = lines.map { KeptWorld($0) }
        return worlds.contains(nil) ? nil : worlds.compactMap { $0 }
    }

    /// Plays it.
    package func play() -> RunResult { size.play(seed, only: only) }
}
