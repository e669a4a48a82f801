import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamStorage

/// The groups that the relay follows, as many as it has memory for: each from a snapshot in the store and the handshake messages
/// behind it. It belongs to one thread, which may block on the disk.
final class GroupBook {
    /// What all groups that are kept take in memory, in bytes: 40 MiB.
    static let maximumWeight = 40 << 20

    private let reads: any RelayReads
    /// Whether accounts commit no more often than they may.
    let limitsRates: Bool
    /// Whose commits others could not read: of a group that is forgotten, too.
    let blamed: BlamedRooms
    private let maximumWeight: Int
    private var entries: [RoomID: Entry] = [:]
    private var tick: UInt64 = 0
    /// What those that are kept take in memory, in bytes.
    private(set) var weight = 0
    /// How many are kept.
    var count: Int { entries.count }

    private struct Entry {
        let generation: UInt32
        /// The last proposal or commit that it has.
        var handshake: UInt64
        var state: FollowedGroup
        /// What becomes of it with a message that was found to count, and may be stored or not.
        var candidate: (message: [UInt8], state: FollowedGroup)?
        var rate = CommitRate()
        var used: UInt64 = 0

        var weight: Int { state.weight + (candidate.map { $0.message.count + $0.state.weight } ?? 0) }
    }

    init(
        _ reads: any RelayReads,
        limitsRates: Bool,
        blamed: BlamedRooms = BlamedRooms(),
        maximumWeight: Int = GroupBook.maximumWeight
    ) {
        self.reads = reads
        self.limitsRates = limitsRates
        self.blamed = blamed
        self.maximumWeight = maximumWeight
    }

    /// A room's present group, for a member.
    ///
    /// - Throws: `refused` with `unknown_room`, `not_a_member`, or `bad_request` for a room that is no group.
    func present(_ room: RoomID, for account: AccountID) throws(GroupBookError) -> PresentGroup {
        let found = try read { reads throws(StorageError) in try reads.group(of: room, for: account) }
        switch found {
        case .noRoom: throw .refused(.unknownRoom)
        case .stranger: throw .refused(.notAMember)
        case .member(nil): throw .refused(.noGroup)
        case .member(let stored?): return stored
        }
    }

    /// The group as it is after the last proposal or commit that the store has.
    func follow(_ room: RoomID, _ stored: PresentGroup) throws(GroupBookError) -> FollowedGroup {
        var entry: Entry
        if let known = known(room, stored) {
            entry = known
        } else {
            entry = try load(room, stored, notAfter: stored.epoch)
            // Who begins a generation begins no new minute.
            entry.rate = entries[room]?.rate ?? CommitRate()
        }
        while entry.handshake < stored.group.handshake {
            for handshake in try handshakes(of: room, after: entry.handshake, upTo: stored.group.handshake) {
                if let candidate = entry.candidate, candidate.message == handshake.message {
                    entry.state = candidate.state
                } else {
                    entry.state = try entry.state.following(handshake.message)
                }
                entry.candidate = nil
                entry.handshake = handshake.number
            }
        }
        tick += 1
        entry.used = tick
        keep(entry, of: room)
        return entry.state
    }

    /// The group as it was when an epoch began.
    ///
    /// - Throws: `refused` with `gone` where the log does not reach back to it, `stale_epoch` where it is to come.
    func group(
        _ room: RoomID,
        generation: UInt32,
        epoch: UInt64,
        _ stored: PresentGroup
    ) throws(GroupBookError) -> PublicGroup {
        guard generation == stored.generation, epoch <= stored.epoch else {
            throw .refused(
                APIError(
                    .staleEpoch,
                    "the group is not yet, or no longer, in this epoch",
                    generation: stored.generation,
                    epoch: stored.epoch
                )
            )
        }
        if epoch == stored.epoch { return try follow(room, stored).group }
        var entry = try load(room, stored, notAfter: epoch)
        while entry.state.group.context.epoch < epoch {
            for handshake in try handshakes(of: room, after: entry.handshake, upTo: stored.group.handshake)
            where entry.state.group.context.epoch < epoch {
                entry.state = try entry.state.following(handshake.message)
                entry.handshake = handshake.number
            }
        }
        return entry.state.group
    }

    /// Remembers what becomes of a group with a message that counts: it is not worked out again once it is stored.
    func expect(_ state: FollowedGroup, of room: RoomID, after message: [UInt8]) {
        guard var entry = entries[room] else { return }
        entry.candidate = (message, state)
        keep(entry, of: room)
    }

    /// Takes a commit into its account's rate; that of an account whose commits others could not read has one an hour.
    ///
    /// - Parameters:
    ///   - isRemoval: whether it takes out leaves and brings nothing in.
    ///   - isOfSelfRemoves: whether it has nothing but SelfRemoves of others.
    ///   - now: seconds of a clock that does not go back.
    /// - Throws: `refused` with `commit_rate`.
    func takeRate(
        in room: RoomID,
        of account: AccountID,
        isRemoval: Bool,
        isOfSelfRemoves: Bool,
        at now: UInt64
    ) throws(GroupBookError) {
        guard limitsRates, var rate = entries[room]?.rate else { return }
        rate.forget(at: now)
        do throws(RoomRefusal) {
            try rate.take(from: account, isRemoval: isRemoval, at: now)
            entries[room]?.rate = rate
        } catch {
            throw .refused(.commitRate(seconds: CommitRate.window))
        }
        do throws(RoomRefusal) {
            try blamed.take(from: account, in: room, isOfSelfRemoves: isOfSelfRemoves, at: now)
        } catch {
            throw .refused(.commitsUnread)
        }
    }

    /// An account's records; `nil` where there is no such account, or none any more.
    func bundle(of account: AccountID) throws(GroupBookError) -> [UInt8]? {
        try read { reads throws(StorageError) in try reads.bundle(of: account) }
    }

    /// A message of a room's log; `nil` where it is not there, or no longer.
    func message(_ number: UInt64, in room: RoomID) throws(GroupBookError) -> RoomMessage? {
        try read { reads throws(StorageError) in try reads.message(number, in: room) }
    }

    private func known(_ room: RoomID, _ stored: PresentGroup) -> Entry? {
        guard let entry = entries[room], entry.generation == stored.generation,
            entry.handshake <= stored.group.handshake
        else { return nil }
        return entry
    }

    private func load(_ room: RoomID, _ stored: PresentGroup, notAfter epoch: UInt64) throws(GroupBookError) -> Entry {
        let found = try read { reads throws(StorageError) in
            try reads.snapshot(of: room, generation: stored.generation, notAfter: epoch)
        }
        guard let found else {
            throw .refused(APIError(.gone, "what the group was in this epoch is gone"))
        }
        guard let group = try? PublicGroup(trusting: found.bytes), let state = try? FollowedGroup(group) else {
            throw .damaged
        }
        return Entry(generation: stored.generation, handshake: found.number, state: state)
    }

    /// The proposals and commits behind one number, up to another; as many as there are in one answer.
    ///
    /// - Throws: `damaged` where there is none.
    func handshakes(
        of room: RoomID,
        after number: UInt64,
        upTo last: UInt64
    ) throws(GroupBookError) -> [StoredHandshake] {
        let found = try read { reads throws(StorageError) in try reads.handshakes(of: room, after: number) }
        let wanted = found.filter { $0.number <= last }
        guard !wanted.isEmpty else { throw .damaged }
        return wanted
    }

    private func read<Value>(
        _ body: (any RelayReads) throws(StorageError) -> Value
    ) throws(GroupBookError) -> Value {
        do throws(StorageError) {
            return try body(reads)
        } catch {
            throw .storage(error)
        }
    }

    /// Keeps a group, and forgets those that nobody has asked for longest where all of them take too much.
    private func keep(_ entry: Entry, of room: RoomID) {
        weight += entry.weight - (entries[room]?.weight ?? 0)
        entries[room] = entry
        while weight > maximumWeight, entries.count > 1,
            let oldest = entries.min(by: { $0.value.used < $1.value.used })
        {
            weight -= oldest.value.weight
            entries[oldest.key] = nil
        }
    }
}
