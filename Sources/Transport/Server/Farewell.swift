/// Says goodbye to WebSockets, some at a time: clients that are all told at once all come back at once.
final class Farewell {
    /// Between two groups.
    private static let step = Duration.milliseconds(10)
    /// So many are no crowd.
    private static let smallestGroup = 16

    private let loop: EventLoop
    private let groupSize: Int
    private var waiting: ArraySlice<WebSocketChannel>

    /// - Parameter span: when the last has been told.
    init(to sockets: [WebSocketChannel], over span: Duration, on loop: EventLoop) {
        self.loop = loop
        waiting = sockets[...]
        let steps = max(1, Int(span / Self.step))
        groupSize = max(Self.smallestGroup, (sockets.count + steps - 1) / steps)
    }

    /// Tells the first group, and the others later.
    func begin() {
        for socket in waiting.prefix(groupSize) { socket.drain() }
        waiting = waiting.dropFirst(groupSize)
        guard !waiting.isEmpty else { return }
        _ = loop.schedule(after: Self.step) { [bound = LoopBound(self, on: loop.thread)] in bound.value.begin() }
    }
}
