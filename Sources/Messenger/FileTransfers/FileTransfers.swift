import MildamClientAPI
import MildamClientCore
import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// The files that a profile's client sends to rooms and saves from them, beside the steps of its rooms.
///
/// A file that is sent is encrypted into the profile, uploaded, and told of in a message once the relay has all of it.
/// What was taken on is in the profile: it goes on when the client begins again, or is shown as failed until its person drops it.
/// What is saved is asked for again by whoever wants it; what was fetched of it stays for a week.
public actor FileTransfers {
    /// What is drawn otherwise from here on.
    enum Change: Sendable {
        /// How far files for a room are.
        case moved(RoomID)
        /// A file for a room is not there any more.
        case gone(RoomID, MessageID)
    }

    /// How many files may be on their way at once.
    static let maximum = 64
    /// How many files may be here at once, those that could not be sent and were not dropped among them.
    static let mostKept = 1000
    /// How long what was fetched in part is kept, in seconds: a week.
    static let patience: Int64 = 7 * 86_400

    let messenger: Messenger
    let rooms: any RoomService
    let door: RelayDoor
    /// Those that are sent, until their message is the rooms'.
    var sending: [MessageID: SendingFile] = [:]
    var ledger = TransferLedger()
    var tasks: [MessageID: Task<Void, Never>] = [:]
    /// Those that are saved.
    var saves: Set<MessageID> = []
    /// The last one that saves a blob.
    var saving: [BlobID: Task<Void, Never>] = [:]
    private var listeners: [Int: AsyncStream<Change>.Continuation] = [:]
    private var lastListener = 0
    /// Whether it has ended: what was saved is asked for again.
    private(set) var isStopped = false

    /// Files of a profile; ``begin()`` goes on with those that are on their way.
    public init(_ messenger: Messenger, rooms: any RoomService) {
        self.messenger = messenger
        self.rooms = rooms
        door = RelayDoor(messenger, clock: messenger.clock)
    }

    deinit {
        for task in tasks.values { task.cancel() }
        for listener in listeners.values { listener.finish() }
    }

    // MARK: Beginning and ending

    /// Goes on with what is on its way, and removes what nobody needs any more.
    ///
    /// - Throws: what keeps the profile from being read.
    public func begin() async throws(MessengerError) {
        let oldest = messenger.clock.seconds - FileTransfers.patience
        for file in try await messenger.sendingFiles() { sending[file.message] = file }
        let needed = Set(sending.values.map(\.stagedName))
        for name in Folder.names(in: outgoing) where !needed.contains(name) {
            StagedFile.remove(outgoing + "/" + name)
        }
        StagedFile.removeOld(in: incoming, changedBefore: oldest)
        for file in sending.values {
            if let failure = file.failure {
                ledger.note(.failed(code: failure), of: file.message)
            } else {
                start(file, from: nil)
            }
        }
    }

    /// Stops everything, and returns once nothing goes on any more. What is sent goes on the next time.
    public func stop() async {
        isStopped = true
        let running = Array(tasks.values)
        for task in running { task.cancel() }
        for task in running { await task.value }
    }

    /// Whether a file is on its way.
    var isBusy: Bool { !tasks.isEmpty }

    /// How many files wait to be sent.
    var waiting: Int { sending.values.count { $0.failure == nil } }

    /// Whether a file is on its way to a room, or could not be sent there.
    func isSending(_ message: MessageID, to room: RoomID) -> Bool { sending[message]?.room == room }

    // MARK: Places

    /// Where ciphertexts wait until they are uploaded.
    var outgoing: String { messenger.profile.place.folder + "/sending" }
    /// Where ciphertexts gather until they are whole.
    var incoming: String { messenger.profile.place.folder + "/saving" }

    /// Where a file's ciphertext waits.
    func staged(_ file: SendingFile) -> String { outgoing + "/" + file.stagedName }

    // MARK: What comes of them

    /// How far a transfer is, its end waited for so many seconds at most; `nil` for what is none of this process.
    func outcome(of id: MessageID, within seconds: Int) async -> WishOutcome? {
        guard let now = ledger[id] else { return nil }
        guard !now.isEnd, seconds > 0 else { return await present(id) }
        let waiter = ledger.nextWaiter()
        let patience = Task { [weak self] in
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
            await self?.giveUp(id, waiter)
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            ledger.wait(for: id, waiter, continuation)
        }
        patience.cancel()
        return await present(id)
    }

    private func giveUp(_ id: MessageID, _ waiter: Int) { ledger.giveUp(id, waiter) }

    /// Of a message that the rooms have, they know what it waits for.
    private func present(_ id: MessageID) async -> WishOutcome? {
        guard case .waiting? = ledger[id], sending[id] == nil,
            case .waiting(let code) = await rooms.progress(of: id)
        else { return ledger[id] }
        return .waiting(code: code)
    }

    /// Gives a file up that is on its way, or forgets one that could not be sent.
    ///
    /// - Throws: `no-such-transfer`: its message is said already, or there is none of this id; `not-stored`.
    func cancel(_ id: MessageID) async throws(RoomFault) {
        guard sending[id] != nil || saves.contains(id) else { throw RoomFault("no-such-transfer", ["wish": "\(id)"]) }
        tasks[id]?.cancel()
        ledger.note(.failed(code: TransferFault.cancelled.code), of: id)
        if let file = sending.removeValue(forKey: id) { try await forget(file) }
    }

    /// Gives up all files for a room that is forgotten.
    ///
    /// - Throws: `not-stored`.
    func forgetFiles(of room: RoomID) async throws(RoomFault) {
        for file in sending.values where file.room == room { try await cancel(file.message) }
    }

    private func forget(_ file: SendingFile) async throws(RoomFault) {
        StagedFile.remove(staged(file))
        tell(.gone(file.room, file.message))
        do throws(MessengerError) {
            try await messenger.forget(file)
        } catch {
            throw .notStored(error)
        }
    }

    // MARK: Who listens

    /// What is drawn otherwise from here on.
    func changes() -> AsyncStream<Change> {
        lastListener += 1
        let number = lastListener
        let (stream, listener) = AsyncStream.makeStream(of: Change.self)
        listeners[number] = listener
        listener.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.stopListening(number) }
        }
        return stream
    }

    private func stopListening(_ number: Int) { listeners[number] = nil }

    func tell(_ change: Change) { for listener in listeners.values { listener.yield(change) } }
}
