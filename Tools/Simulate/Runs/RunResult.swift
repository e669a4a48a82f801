import MildamWire

/// What came of a world.
package struct RunResult: Sendable {
    /// The seed.
    package let seed: UInt64
    /// How many things happened.
    package let events: Int
    /// SHA-256 of everything that happened, 32 bytes.
    package let digest: [UInt8]
    /// What did not hold; none, where all is well.
    package let failures: [Failure]
    /// What happened how often.
    package let coverage: Coverage
    /// The last things that happened.
    package let last: [String]

    /// Whether everything held.
    package var isGood: Bool { failures.isEmpty }

    /// A line of JSON.
    package var json: String {
        let failures = failures.map { failure in
            "{\"check\":\"\(failure.check.rawValue)\",\"at\":\(failure.at),\"person\":\(failure.person),"
                + "\"room\":\(failure.room),\"words\":\"\(failure.words)\"}"
        }
        return "{\"seed\":\(seed),\"events\":\(events),\"digest\":\"\(Hex.encode(digest))\","
            + "\"failures\":[\(failures.joined(separator: ","))]}"
    }
}
