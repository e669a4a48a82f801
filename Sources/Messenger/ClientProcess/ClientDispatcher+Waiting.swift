import MildamClientAPI
import MildamIdentity

/// What is waited for, and what waits.
extension ClientDispatcher {
    /// How the client is once the relay was tried.
    func reached(within seconds: Int) async -> ClientAnswer {
        let rooms = view.rooms
        await ClientDispatcher.first(within: seconds, or: ()) { _ = await rooms.reach() }
        return .status(now: await status())
    }

    /// Reads a room as far as the relay has it.
    func caughtUp(_ room: RoomID, within seconds: Int) async throws(RoomFault) -> ClientAnswer {
        let rooms = view.rooms
        let late = Result<RoomFault?, RoomFault>.success(.behind)
        let read = await ClientDispatcher.first(within: seconds, or: late) { () -> Result<RoomFault?, RoomFault> in
            do throws(RoomFault) { return .success(try await rooms.catchUp(room)) } catch { return .failure(error) }
        }
        let fault = try read.get()
        return .caughtUp(isRead: fault == nil, fault: fault.map { ClientError($0) })
    }

    /// Does not say what waits to be said, gives a file up that is not told of yet, and forgets what could not be said.
    func drop(_ message: MessageID, in room: RoomID) async throws(RoomFault) -> ClientAnswer {
        if try await book.drop(unsaid: message) { return .done }
        if let files = view.files, await files.isSending(message, to: room) {
            try await files.cancel(message)
        } else {
            try await rooms.drop(message, in: room)
        }
        return .done
    }

    /// All of a text that waits, or could not be said.
    func unsentText(_ message: MessageID, in room: RoomID) async throws(RoomFault) -> ClientAnswer {
        let overview = try await view.overview(room)
        guard let text = await view.unsentText(message, in: overview) else { throw .notWaiting(message) }
        return .text(text: text)
    }

    /// What waits to be said, as much as a line has room for.
    ///
    /// - Parameter beginning: what ids begin with; `nil` for any.
    func outbox(_ beginning: String?) async -> ClientAnswer {
        var waiting: [UnsentItem] = []
        var size = 0
        for overview in await view.rooms.rooms() {
            let underWay = Set(overview.wishes.filter { $0.staged != nil }.map(\.id))
            for item in await view.waiting(overview) where item.key.map({ $0.begins(with: beginning) }) ?? false {
                size += item.lineSize
                guard waiting.count < LineLimits.window, size <= ClientDispatcher.windowSize else {
                    return .outbox(waiting: waiting, hasMore: true)
                }
                waiting.append(
                    UnsentItem(
                        room: overview.room,
                        name: overview.info?.name,
                        item: item,
                        isUnderWay: item.key.map { underWay.contains($0) } ?? false
                    )
                )
            }
        }
        return .outbox(waiting: waiting, hasMore: false)
    }

    /// What `body` gives, or something else where that takes longer.
    private static func first<Value: Sendable>(
        within seconds: Int,
        or late: Value,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        let (values, continuation) = AsyncStream.makeStream(of: Value.self)
        let asked = Task {
            continuation.yield(await body())
            continuation.finish()
        }
        let patience = Task {
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
            continuation.finish()
        }
        defer {
            asked.cancel()
            patience.cancel()
        }
        for await value in values { return value }
        return late
    }
}

extension MessageID {
    /// Whether it begins so, as it is written; any does with `nil`.
    fileprivate func begins(with beginning: String?) -> Bool { beginning.map { description.hasPrefix($0) } ?? true }
}
