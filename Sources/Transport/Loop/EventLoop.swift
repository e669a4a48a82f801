import CLinux
import Glibc
import MildamSystem

/// One thread around epoll, which serves sockets, timers and work given from other threads.
///
/// It is a `SerialExecutor`: an actor whose `unownedExecutor` is this loop runs on its thread, beside its sockets.
/// Nothing that runs here may block.
public final class EventLoop: SerialExecutor, Sendable {
    private enum Work {
        case closure(@Sendable () -> Void)
        case job(UnownedJob)
    }

    private enum Stage { case new, running, stopped }

    private struct Inbox {
        var work: [Work] = []
        var stage = Stage.new
        /// The thread is, or is about to be, in `epoll_wait`; the first one to leave work wakes it.
        var isAsleep = false
    }

    /// The thread's name, of which the kernel keeps 15 bytes.
    public let name: String

    let thread = LoopThread()
    let reactor: LoopBound<Reactor>
    private let inbox = Lock(Inbox())
    private let doorbell: Descriptor

    /// Makes a loop; `start()` makes its thread.
    ///
    /// - Throws: `TransportError.system` when the kernel has no descriptors left.
    public init(name: String) throws(TransportError) {
        self.name = name
        do throws(SystemError) {
            reactor = LoopBound(try Reactor(), on: thread)
            let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard number >= 0 else { throw SystemError.last("make an eventfd") }
            doorbell = Descriptor(owning: number)
        } catch {
            throw .system(error)
        }
    }

    /// Starts the thread. A second call does nothing.
    public func start() {
        let isFirst = inbox.withLock { inbox in
            guard inbox.stage == .new else { return false }
            inbox.stage = .running
            return true
        }
        guard isFirst else { return }
        if !Thread.detach(named: name, { self.run() }) { giveUp() }
    }

    /// Ends the thread after its current turn, and every connection at once. From any thread; final.
    ///
    /// What was given before runs; what is given afterwards is dropped, so actors on this loop make no more progress.
    public func stop() {
        let mustRing = inbox.withLock { inbox in
            inbox.stage = .stopped
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if mustRing { ring() }
    }

    /// There is no thread, or it cannot wait for anything: what was given is dropped.
    private func giveUp() {
        let dropped = inbox.withLock { inbox in
            inbox.stage = .stopped
            var dropped: [Work] = []
            swap(&dropped, &inbox.work)
            return dropped
        }
        _ = consume dropped
    }

    /// Whether the calling thread is the loop's.
    public var isCurrent: Bool { thread.isCurrent }

    /// Runs `work` on the loop, after what was given before it. From any thread.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        _ = leave(.closure(work))
    }

    /// Runs `work` on the loop unless it has been stopped.
    ///
    /// - Returns: whether it will run, for those who would otherwise wait for it for ever.
    func executeUnlessStopped(_ work: @escaping @Sendable () -> Void) -> Bool {
        leave(.closure(work))
    }

    /// Runs `work` on the loop once `duration` has passed. From any thread.
    public func schedule(after duration: Duration, _ work: @escaping @Sendable () -> Void) -> TimerToken {
        let token = TimerToken(work)
        let due = Monotonic.after(duration, from: Monotonic.now())
        if isCurrent {
            reactor.value.addTimer(token, due: due)
        } else {
            execute { self.reactor.value.addTimer(token, due: due) }
        }
        return token
    }

    /// Takes a job of an actor that lives here.
    public func enqueue(_ job: consuming ExecutorJob) {
        _ = leave(.job(UnownedJob(job)))
    }

    /// Lets `assumeIsolated` be used in callbacks that run on the loop.
    public func checkIsolated() {
        precondition(isCurrent, "not on the event loop")
    }

    private func leave(_ work: Work) -> Bool {
        let (isTaken, mustRing) = inbox.withLock { inbox in
            guard inbox.stage != .stopped else { return (false, false) }
            inbox.work.append(work)
            defer { inbox.isAsleep = false }
            return (true, inbox.isAsleep)
        }
        if mustRing { ring() }
        return isTaken
    }

    private func ring() {
        eventfd_write(doorbell.number, 1)
    }

    private func run() {
        thread.enter()
        let reactor = reactor.value
        let bell = Doorbell(doorbell.number)
        // A fresh epoll set takes its first descriptor unless memory is gone; then no loop can run at all.
        guard (try? reactor.register(bell, doorbell.number, .read)) != nil else { return giveUp() }
        while performWaiting() {
            let mayWait = inbox.withLock { inbox in
                inbox.isAsleep = inbox.work.isEmpty && inbox.stage == .running
                return inbox.isAsleep
            }
            reactor.turn(mayWait: mayWait)
            if mayWait { inbox.withLock { $0.isAsleep = false } }
        }
        reactor.removeAll()
        thread.leave()
    }

    /// Does what was left to be done. What the work held goes with it, before the loop sleeps: that may be a socket.
    ///
    /// - Returns: whether the loop goes on.
    private func performWaiting() -> Bool {
        let (work, isStopped) = inbox.withLock { inbox in
            var work: [Work] = []
            swap(&work, &inbox.work)
            return (work, inbox.stage == .stopped)
        }
        for piece in work { perform(piece) }
        return !isStopped
    }

    private func perform(_ work: Work) {
        switch work {
        case .closure(let closure): closure()
        case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}

/// The descriptor that other threads wake the loop by.
private final class Doorbell: Channel {
    private let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    func ready(_ readiness: Readiness) {
        var count: eventfd_t = 0
        unsafe eventfd_read(number, &count)
    }

    func deadlinePassed() {}

    func abort() {}
}
