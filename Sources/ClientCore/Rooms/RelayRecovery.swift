import MildamWire

/// A relay that was put back to an earlier state (H41): nothing is sent before it has what its members have.
struct RelayRecovery: Hashable, Sendable {
    /// How far it is.
    enum Progress: Hashable, Sendable {
        /// What the relay still has is compared with what was read, from this number on.
        case comparing(after: UInt64)
        /// What is kept is read.
        case reading
        /// What is kept is given back.
        case refilling
        /// Others may have what this device has not.
        case waitingForOthers
    }

    /// How many of the last messages are compared.
    static let compared: UInt64 = 16
    /// For how many seconds the bytes of handshake messages are kept: 30 days.
    static let handshakeKept: UInt64 = 30 * 86_400
    /// For how many seconds the bytes of one's own messages are kept: seven days.
    static let ownKept: UInt64 = 7 * 86_400
    /// For how many milliseconds a relay is taken to hold what was offered and is not due, which it does in memory, and not without
    /// bounds: 20 seconds. Then it is offered again.
    static let offerHeld: UInt64 = 20_000
    /// How many ranges of lost numbers are remembered, the last ones: as many as a page names.
    static let mostLost = 500

    /// The relay's store, as it was known last; empty for none.
    private(set) var incarnation: [UInt8] = []
    private(set) var progress: Progress?
    /// What the relay had when this device gave back what it has.
    private(set) var given: UInt64 = 0
    /// The numbers that are lost, of which this device has still to say again what it had said there: ascending, apart.
    private(set) var lost: [ClosedRange<UInt64>] = []
    /// The numbers whose messages were lost, or whose place others have: ascending, apart.
    private(set) var gone: [ClosedRange<UInt64>] = []
    /// The epoch of which the relay, which has been given back a commit, is given this device's GroupInfo; `nil` for none.
    private(set) var owedInfo: UInt64?

    /// Nothing is known of the relay.
    init() {}

    /// Whether it goes on.
    var isGoingOn: Bool { progress != nil }

    /// Whether the relay had less than this device when it was looked at.
    var hasLacked: Bool { progress == .refilling || progress == .waitingForOthers }

    /// From which number on the log is read again.
    var readsFrom: UInt64? { if case .comparing(let number)? = progress { number } else { nil } }

    /// The relay says which store it has.
    ///
    /// - Returns: whether that is another one than before.
    mutating func meet(_ incarnation: [UInt8]) -> Bool {
        let isOther = !self.incarnation.isEmpty && self.incarnation != incarnation
        self.incarnation = incarnation
        return isOther
    }

    /// The relay has fewer messages than were read.
    mutating func begin(last: UInt64) {
        given = 0
        progress = .comparing(after: last - min(last, RelayRecovery.compared))
    }

    /// What is kept beyond a number is read, to be given back.
    mutating func read(after number: UInt64) {
        given = number
        progress = .reading
    }

    /// What was kept is given back.
    mutating func refill() { progress = .refilling }

    /// Nothing more can be given back before others have.
    mutating func wait() { progress = .waitingForOthers }

    /// The oldest message that was compared is another one: what lies below it is compared as well.
    mutating func compare(below number: UInt64) {
        progress = .comparing(after: number - min(number, RelayRecovery.compared + 1))
    }

    /// A page ended before what was read: what comes next is compared as well.
    mutating func compare(after number: UInt64) { progress = .comparing(after: number) }

    /// Numbers are lost: what this device had said under them is to be said again.
    mutating func lose(_ numbers: [ClosedRange<UInt64>]) {
        lost = RelayRecovery.joined(lost + numbers)
        gone = RelayRecovery.joined(gone + numbers)
    }

    /// A number has a message that this device goes on from.
    mutating func find(_ number: UInt64) { gone = RelayRecovery.removing(number...number, from: gone) }

    /// Whether a number's message is lost, or another one has it.
    func isGone(_ number: UInt64) -> Bool { gone.contains { $0.contains(number) } }

    /// The last ranges, where those that overlap or touch each other are one.
    private static func joined(_ numbers: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var joined: [ClosedRange<UInt64>] = []
        for next in numbers.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, next.lowerBound <= last.upperBound || next.lowerBound - last.upperBound == 1 {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, next.upperBound)
            } else {
                joined.append(next)
            }
        }
        return Array(joined.suffix(RelayRecovery.mostLost))
    }

    /// What this device had said under these numbers is said again, or kept for the person.
    mutating func settle(_ numbers: [ClosedRange<UInt64>]) {
        for settled in numbers { lost = RelayRecovery.removing(settled, from: lost) }
    }

    private static func removing(
        _ settled: ClosedRange<UInt64>,
        from ranges: [ClosedRange<UInt64>]
    ) -> [ClosedRange<UInt64>] {
        ranges.flatMap { range -> [ClosedRange<UInt64>] in
            guard range.overlaps(settled) else { return [range] }
            var rest: [ClosedRange<UInt64>] = []
            if range.lowerBound < settled.lowerBound { rest.append(range.lowerBound...settled.lowerBound - 1) }
            if range.upperBound > settled.upperBound { rest.append(settled.upperBound + 1...range.upperBound) }
            return rest
        }
    }

    /// The relay is owed the GroupInfo of an epoch, or nothing any more.
    mutating func owe(infoOf epoch: UInt64?) { owedInfo = epoch }

    /// The relay has what its members have.
    mutating func end() { progress = nil }
}

/// A recovery as it is stored.
extension RelayRecovery {
    /// Reads how far it is.
    init(stored reader: inout WireReader) throws(WireError) {
        incarnation = try reader.vector()
        given = try reader.integer()
        lost = try RelayRecovery.ranges(stored: &reader)
        gone = try RelayRecovery.ranges(stored: &reader)
        owedInfo = try reader.some { (reader) throws(WireError) in try reader.integer(UInt64.self) }
        switch try reader.integer(UInt8.self) {
        case 0: progress = nil
        case 1: progress = .comparing(after: try reader.integer())
        case 2: progress = .reading
        case 3: progress = .refilling
        case 4: progress = .waitingForOthers
        default: throw .invalidValue(field: "recovery")
        }
    }

    private static func ranges(stored reader: inout WireReader) throws(WireError) -> [ClosedRange<UInt64>] {
        try reader.list { (reader) throws(WireError) in
            let (first, last) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
            guard first <= last, last <= LogPage.highestNumber else { throw .invalidValue(field: "lost") }
            return first...last
        }
    }

    /// Appends how far it is: some 40 bytes, and 32 for each range of lost numbers.
    func store(into writer: inout WireWriter) {
        writer.vector(incarnation)
        writer.integer(given)
        for ranges in [lost, gone] {
            writer.list(ranges) { writer, range in
                writer.integer(range.lowerBound)
                writer.integer(range.upperBound)
            }
        }
        writer.some(owedInfo) { $0.integer($1) }
        switch progress {
        case nil: writer.integer(UInt8(0))
        case .comparing(let number)?:
            writer.integer(UInt8(1))
            writer.integer(number)
        case .reading?: writer.integer(UInt8(2))
        case .refilling?: writer.integer(UInt8(3))
        case .waitingForOthers?: writer.integer(UInt8(4))
        }
    }
}
