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

    /// The relay's store, as it was known last; empty for none.
    private(set) var incarnation: [UInt8] = []
    private(set) var progress: Progress?
    /// What the relay had when this device gave back what it has.
    private(set) var given: UInt64 = 0

    /// Up to which number this device has said again what was lost.
    private(set) var saidAgain: UInt64 = 0

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

    /// What was lost up to a number is said again.
    mutating func sayAgain(upTo number: UInt64) { saidAgain = max(saidAgain, number) }

    /// The relay has what its members have.
    mutating func end() { progress = nil }
}

/// A recovery as it is stored.
extension RelayRecovery {
    /// Reads how far it is.
    init(stored reader: inout WireReader) throws(WireError) {
        incarnation = try reader.vector()
        given = try reader.integer()
        saidAgain = try reader.integer()
        switch try reader.integer(UInt8.self) {
        case 0: progress = nil
        case 1: progress = .comparing(after: try reader.integer())
        case 2: progress = .reading
        case 3: progress = .refilling
        case 4: progress = .waitingForOthers
        default: throw .invalidValue(field: "recovery")
        }
    }

    /// Appends how far it is: 42 bytes at most.
    func store(into writer: inout WireWriter) {
        writer.vector(incarnation)
        writer.integer(given)
        writer.integer(saidAgain)
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
