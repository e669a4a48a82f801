/// Says goodbye to WebSockets, some at a time: clients that are all told at once all come back at once.
final class Farewell {
    /// Between two groups.
    private static let step = Duration.milliseconds(10)
    /// So many are no crowd.
    private static let smallestGroup = 16

    private let loop: EventLoop
    private let sockets: [WebSocketChannel]
    private let span: UInt64
    private let begun = Monotonic.now()
    private var told = 0

    /// - Parameter span: when the last has been told, however slow the loop is.
    init(to sockets: [WebSocketChannel], over span: Duration, on loop: EventLoop) {
        self.loop = loop
        self.sockets = sockets
        self.span = Monotonic.after(span, from: 0)
    }

    /// Tells the first, and the others later.
    func begin() {
        let due = max(dueByNow, min(told + Self.smallestGroup, sockets.count))
        for socket in sockets[told..<due] { socket.drain() }
        told = due
        guard told < sockets.count else { return }
        _ = loop.schedule(after: Self.step) { [bound = LoopBound(self, on: loop.thread)] in bound.value.begin() }
    }

    /// How many are to be told by now: a loop that is held up makes good what it missed.
    private var dueByNow: Int {
        let elapsed = Monotonic.now() - begun
        guard elapsed < span else { return sockets.count }
        return Int(Double(sockets.count) * Double(elapsed) / Double(span))
    }
}
