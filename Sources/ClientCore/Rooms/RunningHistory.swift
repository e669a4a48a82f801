import MildamContent
import MildamCrypto
import MildamIdentity
import MildamRoomRules
import MildamWire

/// How far a room was read, and a running hash of everything up to there, handshake too (H16).
///
///     SHA-256(label ‖ uint64 number ‖ opaque previous[32] ‖ opaque message[32])
///
/// A joiner has none until other members have stated one that it can go on from: two who agree, or one whose word is enough. What
/// they state of earlier numbers is carried forward, since it is seldom of the same.
public struct RunningHistory: Sendable {
    /// Of how many numbers what was read is remembered.
    static let kept: UInt64 = 256
    /// The size of the hash, in bytes.
    static let hashSize = 32
    private static let label = Label("running history")

    /// The highest number that was read.
    public private(set) var number: UInt64
    /// The hash up to it; `nil` where one joined and has none yet.
    public private(set) var hash: [UInt8]?
    private var points: [UInt64: [UInt8]] = [:]
    private var digests: [UInt64: [UInt8]] = [:]
    private var votes: [UInt64: HistoryVotes] = [:]
    /// The account from whose word alone the hash was taken, until another one states the same.
    private var wordOf: AccountID?
    /// Of whom it was told that they state something else, and whether it was that two, or all others, do.
    private var toldOf: Set<AccountID> = []
    private var isDifferenceTold = false

    /// A room from its beginning.
    public init() {
        number = 0
        hash = [UInt8](repeating: 0, count: RunningHistory.hashSize)
    }

    /// A room from the number on with which one joined.
    public init(joinedAt number: UInt64) {
        self.number = number
        hash =
            PlantedFault.beginsHistoryAnew.isPresent ? [UInt8](repeating: 0, count: RunningHistory.hashSize) : nil
    }

    /// SHA-256 of a message that was read lately; `nil` for others.
    public func digest(of number: UInt64) -> [UInt8]? { digests[number] }

    /// Whether another message was read under a message's number, lately.
    func knowsAnother(_ message: NumberedMessage) -> Bool {
        digests[message.number].map { $0 != message.digest } ?? false
    }

    /// Whether what was read last was read under an earlier number too.
    func hasReadBefore(_ message: NumberedMessage) -> Bool {
        let digest = message.digest
        return digests.contains { $0.key < message.number && $0.value == digest }
    }

    /// How far this device has seen the room, as its messages say.
    var seen: ContentHead.Seen? { hash.flatMap { ContentHead.Seen(number: number, hash: $0) } }

    /// The same, as its commits say.
    var seenByCommit: CommitReason.Seen? { hash.map { CommitReason.Seen(number: number, hash: $0) } }

    /// Reads the next message.
    ///
    /// - Precondition: it is the next one.
    mutating func read(_ message: NumberedMessage) {
        precondition(message.number == number + 1, "the next message of a room")
        number = message.number
        let digest = message.digest
        digests[number] = digest
        if let hash {
            let next = RunningHistory.hash(after: hash, number, digest)
            self.hash = next
            points[number] = next
        }
        guard number >= RunningHistory.kept else { return }
        let old = number - RunningHistory.kept
        points[old] = nil
        digests[old] = nil
        votes[old] = nil
    }

    /// Another message has a number that was read: what the hash was made of is not what the room has, and it begins anew.
    mutating func replace(_ message: NumberedMessage) {
        guard digests[message.number] != nil else { return }
        digests[message.number] = message.digest
        (hash, wordOf) = (nil, nil)
        (points, votes, toldOf, isDifferenceTold) = ([:], [:], [], false)
    }

    /// Whether what members state was not told yet: each account's difference once, and once that two, or all others, agree on one.
    /// An account that states one's own hash, and then another one, is told of again.
    mutating func isNews(_ verdict: HistoryVotes.Verdict) -> Bool {
        let differing = votes.values.reduce(into: Set<AccountID>()) { $0.formUnion($1.accounts) }
        toldOf.formIntersection(differing)
        switch verdict {
        case .same:
            if differing.isEmpty { isDifferenceTold = false }
            return false
        case .statedBy(let accounts):
            isDifferenceTold = false
            let isNew = !accounts.isSubset(of: toldOf)
            toldOf.formUnion(accounts.intersection(differing))
            return isNew
        case .different:
            let isNew = !isDifferenceTold
            isDifferenceTold = true
            toldOf.formUnion(differing)
            return isNew
        }
    }

    /// Passes over numbers that cannot be read: what comes after them hangs on nothing.
    mutating func skip(to number: UInt64) { self = RunningHistory(joinedAt: number) }

    /// A member states the hash up to a number, in what was read last.
    ///
    /// What was gone on with from one account's word alone is given up where two others agree on something else: that is told as a
    /// different history, once, and one goes on from theirs.
    ///
    /// - Parameters:
    ///   - own: one's own account: what another device of it states may come from the same one word.
    ///   - isEnough: whether one goes on from this account's word alone, where one has no hash.
    ///   - others: how many other accounts the room has.
    /// - Returns: what that says of one's own.
    mutating func state(
        _ hash: [UInt8],
        upTo number: UInt64,
        by account: AccountID,
        own: AccountID? = nil,
        isEnough: Bool = false,
        others: Int
    ) -> HistoryVotes.Verdict {
        // Nobody has seen what comes after their own message.
        guard number < self.number else { return .statedBy([account]) }
        if votes.isEmpty, points[number] == hash {
            confirm(by: account, own)
            return .same
        }
        guard let present = carried(hash, from: number) else { return .same }
        var stated = presentVotes
        stated.forget(account)
        guard present != self.hash else {
            confirm(by: account, own)
            keep(stated)
            return .same
        }
        stated.state(present, by: account)
        if self.hash == nil, let adopted = isEnough ? present : stated.adopted(others: others) {
            adopt(adopted)
            let agreeing = stated.accounts(stating: adopted).filter { $0 != own }
            wordOf = agreeing.count > 1 ? nil : agreeing.first ?? account
        }
        guard let known = self.hash else {
            keep(stated)
            return .same
        }
        let differing = stated.differing(from: known)
        if wordOf != nil, let agreed = differing.adopted(others: max(2, others)),
            differing.accounts(stating: agreed).count(where: { $0 != own }) > 1
        {
            wordOf = nil
            adopt(agreed)
            keep(stated.differing(from: agreed))
            return .different
        }
        keep(differing)
        return stated.verdict(on: known, others: others)
    }

    /// An account states one's own hash.
    private mutating func confirm(by account: AccountID, _ own: AccountID?) {
        guard let word = wordOf, account != word, account != own else { return }
        wordOf = word == own ? account : nil
    }

    /// The hash up to the last number, for who has this one up to an earlier number; `nil` where it is not known what came between.
    private func carried(_ hash: [UInt8], from number: UInt64) -> [UInt8]? {
        var (place, last) = (number, hash)
        while place < self.number {
            place += 1
            guard let digest = digests[place] else { return nil }
            last = RunningHistory.hash(after: last, place, digest)
        }
        return last
    }

    /// What was stated, as it is of the last number.
    private var presentVotes: HistoryVotes {
        var present = HistoryVotes()
        for (number, stated) in votes.sorted(by: { $0.key < $1.key }) {
            present.add(stated.carried { carried($0, from: number) })
        }
        return present
    }

    /// Remembers what is stated of the last number.
    private mutating func keep(_ stated: HistoryVotes) { votes = stated.isEmpty ? [:] : [number: stated] }

    /// Goes on from a hash of the last number that others state.
    private mutating func adopt(_ hash: [UInt8]) {
        points = [number: hash]
        self.hash = hash
    }

    private static func hash(after previous: [UInt8], _ number: UInt64, _ digest: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: 96)
        label.encode(into: &writer)
        writer.integer(number)
        writer.fixed(previous)
        writer.fixed(digest)
        return Array(SHA256.hash(data: writer.bytes))
    }
}

/// How far a room was read, as it is stored: a few bytes beside the state, and what is remembered of single numbers in
/// parts of 40 numbers, so that a step writes the parts that it changes.
extension RunningHistory {
    /// How many numbers are one part: as many as one page of a database has room for.
    static let partSize: UInt64 = 40

    /// Reads how far a room was read.
    ///
    /// - Parameter parts: what ``changedParts(since:)`` gave and is not gone.
    /// - Throws: `invalidValue` where a part is missing from which the hash follows.
    init(stored reader: inout WireReader, parts: some Sequence<[UInt8]>) throws(WireError) {
        number = try reader.integer()
        let hash = try reader.some { (reader) throws(WireError) in try reader.fixed(RunningHistory.hashSize) }
        let first = try reader.integer(UInt64.self)
        let point = try reader.some { (reader) throws(WireError) in try reader.fixed(RunningHistory.hashSize) }
        self.hash = hash
        wordOf = try reader.some { (reader) throws(WireError) in try AccountID(from: &reader) }
        toldOf = Set(try reader.list { (reader) throws(WireError) in try AccountID(from: &reader) })
        isDifferenceTold = try reader.flag()
        for part in parts { try take(part) }
        guard let hash, let point else { return }
        guard first <= number, number - first < RunningHistory.kept else { throw .invalidValue(field: "history") }
        var (place, last) = (first, point)
        points[place] = last
        while place < number {
            place += 1
            guard let digest = digests[place] else { throw .invalidValue(field: "history") }
            last = RunningHistory.hash(after: last, place, digest)
            points[place] = last
        }
        guard last == hash else { throw .invalidValue(field: "history") }
    }

    private mutating func take(_ part: [UInt8]) throws(WireError) {
        var reader = WireReader(part.span)
        while reader.remaining > 0 {
            let number = try reader.integer(UInt64.self)
            digests[number] = try reader.some { (reader) throws(WireError) in
                try reader.fixed(RunningHistory.hashSize)
            }
            let stated = try HistoryVotes(from: &reader)
            if stated != HistoryVotes() { votes[number] = stated }
        }
    }

    /// Appends the number, the hash, and the first point from which the others follow; and whose word that is, and what was told: some
    /// 100 bytes, and 16 for each account that was told of.
    func store(into writer: inout WireWriter) {
        writer.integer(number)
        writer.some(hash) { $0.fixed($1) }
        let first = points.keys.min()
        writer.integer(first ?? 0)
        writer.some(first.flatMap { points[$0] }) { $0.fixed($1) }
        writer.some(wordOf) { $1.encode(into: &$0) }
        writer.list(toldOf.sorted()) { $1.encode(into: &$0) }
        writer.flag(isDifferenceTold)
    }

    /// The parts that are not as they were in an earlier state, by their numbers; empty ones are gone.
    /// Some 90 bytes for each number.
    func changedParts(since stored: RunningHistory?) -> [UInt64: [UInt8]] {
        var changed: [UInt64: [UInt8]] = [:]
        for part in partNumbers.union(stored?.partNumbers ?? []) {
            let numbers = part * RunningHistory.partSize..<(part + 1) * RunningHistory.partSize
            let isSame = numbers.allSatisfy { digests[$0] == stored?.digests[$0] && votes[$0] == stored?.votes[$0] }
            if !isSame { changed[part] = self.part(numbers) }
        }
        return changed
    }

    private var partNumbers: Set<UInt64> {
        Set((Array(digests.keys) + votes.keys).map { $0 / RunningHistory.partSize })
    }

    private func part(_ numbers: Range<UInt64>) -> [UInt8] {
        var writer = WireWriter(capacity: 3072)
        for number in numbers where digests[number] != nil || votes[number] != nil {
            writer.integer(number)
            writer.some(digests[number]) { $0.fixed($1) }
            (votes[number] ?? HistoryVotes()).encode(into: &writer)
        }
        return writer.bytes
    }
}
