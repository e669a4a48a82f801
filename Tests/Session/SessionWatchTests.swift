import Foundation
import MildamSession
import MildamSystem
import TestSupport
import Testing

/// What a watch has told.
private final class Record: Sendable {
    private let events = Lock<[SessionEvent]>([])

    var all: [SessionEvent] { events.withLock { $0 } }

    func add(_ event: SessionEvent) { events.withLock { $0.append(event) } }

    func becomes(_ expected: [SessionEvent]) async -> Bool { await eventually { self.all == expected } }
}

@Suite("Sleep and screen locks, as logind tells of them", .serialized)
struct SessionWatchTests {
    private let bus: PrivateBus

    init() throws {
        bus = try PrivateBus()
    }

    private func start() throws {
        try bus.startBus()
        try bus.startLogind()
    }

    private func watch(_ record: Record) async -> SessionWatch {
        let watch = SessionWatch(retryingAfter: .milliseconds(100)) { record.add($0) }
        #expect(await eventually { watch.status == .watching(delaysSleep: true) }, "\(watch.status)")
        return watch
    }

    @Test("Sleep, waking, a lock and what the session says of it arrive, in order")
    func events() async throws {
        try start()
        let record = Record()
        let watch = await watch(record)
        #expect(bus.hears("inhibited 1 sleep mildam delay"))
        try bus.tell("sleep 1")
        #expect(await record.becomes([.willSleep]))
        try bus.tell("sleep 0")
        #expect(await record.becomes([.willSleep, .woke]))
        try bus.tell("lock own1")
        try bus.tell("idle own1")
        try bus.tell("hint own1 1")
        try bus.tell("hint own1 0")
        #expect(await record.becomes([.willSleep, .woke, .screenLocked, .screenLocked, .screenUnlocked]))
        #expect(watch.status == .watching(delaysSleep: true))
    }

    @Test("Other users' sessions are their own affair; one that nobody knows is locked for, and not unlocked")
    func sessions() async throws {
        try start()
        let record = Record()
        let watch = await watch(record)
        try bus.tell("lock other1")
        try bus.tell("hint other1 1")
        try bus.tell("hint other1 0")
        try bus.tell("hint unknown 0")
        try bus.tell("lock unknown")
        try bus.tell("hint own2 0")
        #expect(await record.becomes([.screenLocked, .screenUnlocked]))
        withExtendedLifetime(watch) {}
    }

    @Test("The machine waits until the handler has returned, and is asked to wait again when it wakes")
    func delay() async throws {
        try start()
        let record = Record()
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let watch = SessionWatch(retryingAfter: .milliseconds(100)) { event in
            record.add(event)
            guard event == .willSleep else { return }
            entered.signal()
            leave.wait()
        }
        #expect(await eventually { watch.status == .watching(delaysSleep: true) })
        #expect(bus.hears("inhibited 1 "))
        try bus.tell("sleep 1")
        #expect(try await Blocking.run { entered.wait(timeout: .now() + 20) } == .success)
        #expect(!bus.hears("released 1", within: 0.5))
        leave.signal()
        #expect(bus.hears("released 1"))
        #expect(!bus.hears("inhibited 2 ", within: 0.2))
        try bus.tell("sleep 0")
        #expect(bus.hears("inhibited 2 sleep mildam delay"))
        #expect(await record.becomes([.willSleep, .woke]))
        // Once more: each sleep is waited for.
        try bus.tell("sleep 1")
        #expect(try await Blocking.run { entered.wait(timeout: .now() + 20) } == .success)
        #expect(!bus.hears("released 2", within: 0.2))
        leave.signal()
        #expect(bus.hears("released 2"))
    }

    @Test("What another program says in the manager's name is not heard")
    func forgery() async throws {
        try start()
        let record = Record()
        let watch = await watch(record)
        #expect(bus.hears("inhibited 1 "))
        try bus.tell("forge own1")
        try bus.tell("hint own1 0")
        #expect(await record.becomes([.screenUnlocked]))
        #expect(!bus.hears("released 1", within: 0.2))
        withExtendedLifetime(watch) {}
    }

    @Test("Where no delay is allowed, events arrive all the same")
    func refused() async throws {
        try start()
        try bus.tell("refuse")
        let record = Record()
        let watch = SessionWatch(retryingAfter: .milliseconds(100)) { record.add($0) }
        #expect(await eventually { watch.status == .watching(delaysSleep: false) })
        try bus.tell("sleep 1")
        #expect(await record.becomes([.willSleep]))
    }

    @Test("Without a bus, and without a logind, it says so, and tries again")
    func unavailable() async throws {
        let record = Record()
        let watch = SessionWatch(retryingAfter: .milliseconds(100)) { record.add($0) }
        let noBus = SessionStatus.unavailable("cannot reach the system bus: No such file or directory")
        #expect(await eventually { watch.status == noBus }, "\(watch.status)")
        try bus.startBus()
        #expect(
            await eventually {
                if case .unavailable(let reason) = watch.status { return reason.contains("org.freedesktop.login1") }
                return false
            },
            "\(watch.status)"
        )
        try bus.startLogind()
        #expect(await eventually { watch.status == .watching(delaysSleep: true) }, "\(watch.status)")
        try bus.tell("lock own1")
        #expect(await record.becomes([.screenLocked]))
    }

    @Test("A bus that dies is told, and the next one is found")
    func death() async throws {
        try start()
        let record = Record()
        let watch = await watch(record)
        bus.stop()
        #expect(
            await eventually { if case .unavailable = watch.status { true } else { false } },
            "\(watch.status)"
        )
        try start()
        #expect(await eventually { watch.status == .watching(delaysSleep: true) }, "\(watch.status)")
        try bus.tell("sleep 1")
        #expect(await record.becomes([.willSleep]))
    }

    @Test("A logind that ends is told, and the next one is found")
    func logindEnds() async throws {
        try start()
        let record = Record()
        let watch = await watch(record)
        bus.stopLogind()
        #expect(
            await eventually { if case .unavailable = watch.status { true } else { false } },
            "\(watch.status)"
        )
        try bus.startLogind()
        #expect(await eventually { watch.status == .watching(delaysSleep: true) }, "\(watch.status)")
        #expect(bus.hears("inhibited 1 "))
        try bus.tell("lock own1")
        #expect(await record.becomes([.screenLocked]))
    }

    @Test("It ends with its owner, and sleep is no longer delayed", arguments: [false, true])
    func stop(_ explicitly: Bool) async throws {
        try start()
        let record = Record()
        var watch: SessionWatch? = await watch(record)
        #expect(bus.hears("inhibited 1 "))
        if explicitly { watch?.stop() } else { watch = nil }
        #expect(bus.hears("released 1"))
        try bus.tell("lock own1")
        try await Task.sleep(for: .milliseconds(100))
        #expect(record.all == [])
        withExtendedLifetime(watch) {}
    }

    @Test("A watch that waits for a bus ends at once")
    func stopWhileWaiting() async throws {
        let watch = SessionWatch(retryingAfter: .seconds(3600)) { _ in }
        #expect(await eventually { watch.status != .starting })
        let threads = {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter { task in
                let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
                return name == "mildam-session\n"
            }
        }
        #expect(try !threads().isEmpty)
        watch.stop()
        #expect(await eventually { (try? threads())?.isEmpty ?? false })
    }
}
