import MildamClientAPI
import MildamClientCore
import MildamIdentity

/// What windows that have subscribed are told: what is drawn and is otherwise now, gathered for a moment.
actor ChangeFeed {
    private var view: RoomView
    private let status: @Sendable () async -> ClientStatus
    private var revision: UInt64 = 0
    private var subscribers: [ObjectIdentifier: LineQueue] = [:]
    private var entries: [RoomID: [ShownEntry]] = [:]
    private var rooms: Set<RoomID> = []
    private var notices: [ClientChange] = []
    /// What waited to be said or to be sent, and is not.
    private var gone: [RoomID: [MessageID]] = [:]
    private var isStatusDue = false
    private var isDue = false

    /// How long changes are gathered: one by one, hundreds of them would keep a window drawing.
    private static let gathering = Duration.milliseconds(30)
    /// How many bytes the items of a line have at most.
    private static let lineSize = 900_000

    init(_ view: RoomView, status: @escaping @Sendable () async -> ClientStatus) {
        self.view = view
        self.status = status
    }

    /// Takes in what happens, until the rooms end.
    func listen() async { await listen(to: await view.rooms.changes()) }

    private func listen(to changes: AsyncStream<RoomChange>) async {
        for await change in changes { note(change) }
    }

    /// Takes in what becomes of files on their way, until there are none any more.
    func follow(_ files: AsyncStream<FileTransfers.Change>) async {
        for await change in files {
            switch change {
            case .moved(let room): touch(room)
            case .gone(let room, let item):
                gone[room, default: []].append(item)
                touch(room)
            }
        }
    }

    /// From now on these rooms are told of: what is drawn may all be otherwise, and has to be asked for anew.
    func change(to view: RoomView) async {
        self.view = view
        let changes = await view.rooms.changes()
        let files = await view.files?.changes()
        (entries, rooms, notices, gone) = ([:], [], [], [:])
        for queue in subscribers.values { queue.putResync() }
        isStatusDue = true
        becomeDue()
        Task { await listen(to: changes) }
        if let files { Task { await follow(files) } }
    }

    /// Tells a window from now on.
    ///
    /// - Parameter begin: called with the revision before the first change that it gets.
    func subscribe(_ queue: LineQueue, begin: @Sendable (UInt64) -> Void) {
        begin(revision)
        subscribers[ObjectIdentifier(queue)] = queue
    }

    /// Tells a window no more.
    func unsubscribe(_ queue: LineQueue) { subscribers[ObjectIdentifier(queue)] = nil }

    /// A window has changed something of a room.
    func touch(_ room: RoomID) {
        rooms.insert(room)
        becomeDue()
    }

    private func note(_ change: RoomChange) {
        switch change {
        case .entry(let room, let entry):
            entries[room, default: []].append(entry)
            rooms.insert(room)
        case .notice(let room, let notice):
            if notice == .invited { isStatusDue = true }
            rooms.insert(room)
            if let told = notice.change(in: room) { notices.append(told) }
            if case .wishFailed(let id, _) = notice { gone[room, default: []].append(id) }
        case .shutOut(let room): rooms.insert(room)
        case .connection, .account, .notStored: isStatusDue = true
        }
        becomeDue()
    }

    private func becomeDue() {
        guard !isDue else { return }
        isDue = true
        Task {
            try? await Task.sleep(for: ChangeFeed.gathering)
            await flush()
        }
    }

    /// Tells what was gathered, one time after the other: what is told keeps its order.
    private func flush() async {
        await tellGathered()
        isDue = false
        let isQuiet = entries.isEmpty && rooms.isEmpty && notices.isEmpty && gone.isEmpty && !isStatusDue
        if !isQuiet { becomeDue() }
    }

    private func tellGathered() async {
        let (gathered, dirty, told, hasStatus, lost) = (entries, rooms, notices, isStatusDue, gone)
        entries = [:]
        rooms = []
        notices = []
        gone = [:]
        isStatusDue = false
        guard !subscribers.isEmpty else { return }
        var changes: [ClientChange] = []
        let overviews = await view.rooms.rooms()
        let gone = dirty.subtracting(overviews.map(\.room))
        changes += gone.sorted().map { ClientChange.roomGone(room: $0) }
        for overview in overviews where dirty.contains(overview.room) {
            var items: [RoomItem] = []
            for entry in gathered[overview.room] ?? [] { items.append(await view.item(entry)) }
            items += await view.waiting(overview)
            tell(items, lost[overview.room] ?? [], of: overview.room)
            changes.append(.room(row: await view.row(overview)))
        }
        changes += told
        if hasStatus { changes.append(.status(now: await status())) }
        for start in stride(from: 0, to: changes.count, by: LineLimits.changes) {
            send(Array(changes[start..<min(start + LineLimits.changes, changes.count)]))
        }
    }

    /// Items of a room, in as many lines as they take.
    private func tell(_ items: [RoomItem], _ gone: [MessageID], of room: RoomID) {
        for start in stride(from: 0, to: gone.count, by: LineLimits.window) {
            let lost = Array(gone[start..<min(start + LineLimits.window, gone.count)])
            send([.items(room: room, upsert: [], gone: lost)])
        }
        var part: [RoomItem] = []
        var size = 0
        for item in items {
            if part.count == LineLimits.window || size + item.lineSize > ChangeFeed.lineSize {
                send([.items(room: room, upsert: part, gone: [])])
                part = []
                size = 0
            }
            part.append(item)
            size += item.lineSize
        }
        if !part.isEmpty { send([.items(room: room, upsert: part, gone: [])]) }
    }

    private func send(_ changes: [ClientChange]) {
        revision += 1
        guard let line = try? ClientLine.bytes(of: .changes(rev: revision, changes)) else {
            for queue in subscribers.values { queue.putResync() }
            return
        }
        for queue in subscribers.values { queue.put(line) }
    }
}
