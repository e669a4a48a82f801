import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import MildamStorage
import MildamSystem
import MildamTransport

/// Looks at what is sent to groups, on a thread of its own that stands back: however long a check takes, nobody's message waits
/// for it, and the writer only compares what it was held against.
final class GroupService: Sendable {
    let queue: WorkQueue<GroupBook>
    private let overtaken = OvertakenRooms()
    private let limitsRates: Bool
    private let metrics: RelayMetrics
    private let clock: WallClock
    /// Nanoseconds of a clock that does not go back.
    private let steady: @Sendable () -> UInt64
    private let log: RelayLog

    /// Starts the thread, which opens a reader; the store was prepared.
    init(
        _ store: any RelayStore,
        limitsRates: Bool,
        blamed: BlamedRooms,
        metrics: RelayMetrics,
        clock: WallClock,
        steady: @escaping @Sendable () -> UInt64,
        log: RelayLog,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(RelayError) {
        self.limitsRates = limitsRates
        self.metrics = metrics
        self.clock = clock
        self.steady = steady
        self.log = log
        queue = try WorkQueue(deliver: deliver) { () throws(RelayError) in
            do throws(StorageError) {
                let book = GroupBook(try store.openReads(), limitsRates: limitsRates, blamed: blamed)
                Thread.standBack()
                return book
            } catch {
                throw .storage(error)
            }
        }
    }

    private var milliseconds: UInt64 { steady() / 1_000_000 }

    /// Looks at a proposal or a commit; `answer` is called where answers are delivered.
    func check(
        _ request: GroupSendRequest,
        for room: RoomID,
        by sender: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<CheckedContent, APIError>) -> Void
    ) {
        let time = GroupBook.CheckTime(now: clock.seconds, steady: milliseconds)
        perform(for: turn, weight: request.message.count) { [overtaken] book throws(GroupBookError) in
            try book.check(request, for: room, by: sender, overtaken, at: time)
        } then: {
            answer($0)
        }
    }

    /// Looks at a proposal, a commit or a room's next group that a member gives back.
    ///
    /// - Parameter limitsRate: whether it counts for how often the member may commit.
    func check(
        _ message: RefilledMessage,
        for room: RoomID,
        givenBackBy sender: Sender,
        limitsRate: Bool,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<CheckedRefill, APIError>) -> Void
    ) {
        let time = GroupBook.CheckTime(now: clock.seconds, steady: milliseconds)
        perform(for: turn, weight: message.message.count) { book throws(GroupBookError) in
            try book.check(message, for: room, givenBackBy: sender, limitsRate: limitsRate, at: time)
        } then: {
            answer($0)
        }
    }

    /// Looks at a group that is to begin a room.
    func check(
        _ request: CreateGroupRequest,
        as room: RoomID,
        by sender: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<CheckedGroup, APIError>) -> Void
    ) {
        let weight = request.groupInfo.count + request.ratchetTree.count
        perform(for: turn, weight: weight) { book throws(GroupBookError) in
            try book.check(request, as: room, by: sender)
        } then: {
            answer($0)
        }
    }

    /// Looks at another GroupInfo of a group's present epoch.
    func check(
        _ request: GroupInfoRequest,
        for room: RoomID,
        by sender: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<CheckedGroupInfo, APIError>) -> Void
    ) {
        perform(for: turn, weight: request.groupInfo.count) { book throws(GroupBookError) in
            try book.check(request, for: room, by: sender)
        } then: {
            answer($0)
        }
    }

    /// Looks at a room's next group.
    func check(
        _ request: GenerationRequest,
        for room: RoomID,
        by sender: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<CheckedGroup, APIError>) -> Void
    ) {
        let time = GroupBook.CheckTime(now: clock.seconds, steady: milliseconds)
        perform(for: turn, weight: request.groupInfo.count) { [overtaken] book throws(GroupBookError) in
            try book.check(request, for: room, by: sender, overtaken, at: time)
        } then: {
            answer($0)
        }
    }

    /// The tree of a room's group in an epoch, and its hash.
    func tree(
        of room: RoomID,
        generation: UInt32,
        epoch: UInt64,
        by sender: Sender,
        for turn: Turn,
        then answer: @escaping @Sendable (Result<ServedTree, APIError>) -> Void
    ) {
        perform(for: turn) { book throws(GroupBookError) in
            let stored = try book.present(room, for: sender.account)
            let group = try book.group(room, generation: generation, epoch: epoch, stored)
            return ServedTree(bytes: group.ratchetTree, hash: group.context.treeHash)
        } then: {
            answer($0)
        }
    }

    /// A room's group after its last commit, for a snapshot that no commit asks for.
    ///
    /// - Parameter account: a member.
    func quietSnapshot(
        of room: RoomID,
        for account: AccountID,
        then answer: @escaping @Sendable (Result<QuietSnapshot?, APIError>) -> Void
    ) {
        perform(for: .relay) { book throws(GroupBookError) in
            try book.quietSnapshot(of: room, for: account)
        } then: {
            answer($0)
        }
    }

    /// What came of a message that was sent: who was overtaken twice goes first for a while.
    func noteMessage(
        _ request: GroupSendRequest,
        of sender: Sender,
        in room: RoomID,
        _ result: Result<SendReceipt, APIError>
    ) {
        guard limitsRates else { return }
        overtaken.note(result, of: request, by: sender, in: room, at: milliseconds)
    }

    /// Finishes what waits and ends the thread. Called once.
    func stop() { queue.stop() }

    private func perform<Value: Sendable>(
        for turn: Turn,
        weight: Int = 0,
        _ body: @escaping @Sendable (GroupBook) throws(GroupBookError) -> Value,
        then answer: @escaping @Sendable (Result<Value, APIError>) -> Void
    ) {
        queue.perform(for: turn, weight: weight) { [metrics, log] book in
            let start = Monotonic.now()
            defer { metrics.groups.time.record(nanoseconds: Monotonic.now() - start) }
            do throws(GroupBookError) {
                return .success(try body(book))
            } catch {
                return .failure(Self.refusal(for: error, metrics, log))
            }
        } then: {
            answer($0)
        }
    }

    private static func refusal(for error: GroupBookError, _ metrics: RelayMetrics, _ log: RelayLog) -> APIError {
        switch error {
        case .refused(let refusal):
            if refusal.code == .invalidCommit { metrics.groups.refused(by: refusal.rule) }
            return refusal
        case .storage(let failure):
            log.error("read_failed", "cannot read: \(failure)")
            return APIError(.internalError, "the relay could not read this")
        case .damaged:
            log.error("group_damaged", "what the store has of a group cannot be followed")
            return APIError(.internalError, "the relay cannot follow the room's group")
        }
    }
}

/// A group's tree as it is served.
struct ServedTree: Sendable {
    /// As it is sent beside a GroupInfo.
    let bytes: [UInt8]
    let hash: [UInt8]
}
