import CLinux
import Glibc
import MildamSystem

/// The loop's own state: the epoll set, who owns each descriptor, and what is due when. Lives on the loop's thread.
///
/// epoll is used level-triggered: a channel may stop after a fair share of reading and is told again, and nothing is
/// lost when it forgets; the price, one `epoll_ctl` when a socket's send buffer fills, is rare.
@safe
final class Reactor {
    private struct Slot {
        var channel: (any Channel)?
        var generation: UInt32 = 0
        var interest: Interest = []
        /// When the channel wants to be told, and the earliest heap entry that will look at it.
        var deadline = UInt64.max
        var armed = UInt64.max
    }

    /// Bytes in the buffer that every channel of the loop reads into; none keeps one while idle.
    static let scratchSize = 64 * 1024
    /// As many channels that stand back are served in a turn, and as many whose time has come: others wait for a fraction
    /// of a millisecond.
    static let share = 32

    private let epoll: Descriptor
    private var slots: [Slot] = []
    private var timers = TimerHeap()
    private var events = unsafe [epoll_event](repeating: unsafe epoll_event(), count: 256)
    /// The events of this turn that came for channels which stand back, by their places in `events`.
    private var behind: [Int] = []
    /// Where among them the next turn that cannot serve all begins.
    private var firstBehind = 0
    /// Monotonic nanoseconds at the start of the current turn.
    private(set) var now = Monotonic.now()
    /// Taken (left empty) by whoever reads, and put back.
    var scratch = [UInt8](repeating: 0, count: Reactor.scratchSize)

    init() throws(SystemError) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .last("make an epoll set") }
        epoll = Descriptor(owning: number)
    }

    /// The channels that are registered now.
    var channels: [any Channel] { slots.compactMap(\.channel) }

    /// Starts to watch a descriptor, which must stay open until `deregister`.
    func register(
        _ channel: any Channel,
        _ descriptor: Int32,
        _ interest: Interest
    ) throws(SystemError) -> ChannelID {
        let index = Int(descriptor)
        while slots.count <= index { slots.append(Slot()) }
        let id = ChannelID(descriptor: descriptor, generation: slots[index].generation &+ 1)
        try control(EPOLL_CTL_ADD, id, interest)
        slots[index] = Slot(channel: channel, generation: id.generation, interest: interest)
        return id
    }

    /// Gives a registered descriptor, with its deadline cleared, to another channel.
    func transfer(_ id: ChannelID, to channel: any Channel) {
        guard isLive(id) else { return }
        slots[Int(id.descriptor)].channel = channel
        slots[Int(id.descriptor)].deadline = .max
    }

    /// Changes what a channel waits for.
    func setInterest(_ interest: Interest, of id: ChannelID) {
        guard isLive(id), slots[Int(id.descriptor)].interest != interest else { return }
        slots[Int(id.descriptor)].interest = interest
        // On an open, registered descriptor this fails only for want of memory; the channel's deadline then ends it.
        try? control(EPOLL_CTL_MOD, id, interest)
    }

    /// Sets when the channel wants to be told, in monotonic nanoseconds; `nil`: never.
    ///
    /// Moving a deadline later costs nothing: the entry in the heap finds out when it fires.
    func setDeadline(_ moment: UInt64?, of id: ChannelID) {
        guard isLive(id) else { return }
        let index = Int(id.descriptor)
        let moment = moment ?? .max
        slots[index].deadline = moment
        if moment < slots[index].armed {
            slots[index].armed = moment
            timers.insert(.init(due: moment, target: .channel(id)))
        }
    }

    /// Stops watching and lets go of the channel.
    func deregister(_ id: ChannelID) {
        guard isLive(id) else { return }
        try? control(EPOLL_CTL_DEL, id, [])
        // Should this be the last reference, what its end sets off may come back here: not inside the assignment.
        let channel = slots[Int(id.descriptor)].channel
        slots[Int(id.descriptor)] = Slot(channel: nil, generation: id.generation)
        _ = consume channel
    }

    func addTimer(_ token: TimerToken, due: UInt64) {
        timers.insert(.init(due: due, target: .work(token)))
    }

    /// Ends every channel.
    func removeAll() {
        // A reply or socket that a handler keeps keeps its connection too, which must not stay open with it.
        for channel in channels { channel.abort() }
        let dropped = slots
        slots = []
        timers = TimerHeap()
        _ = consume dropped
    }

    /// One turn: waits for events (not at all unless `mayWait`), serves them, then some of what has become due.
    func turn(mayWait: Bool) {
        let count = unsafe events.withUnsafeMutableBufferPointer { buffer in
            unsafe epoll_wait(epoll.number, buffer.baseAddress, Int32(buffer.count), mayWait ? timeout() : 0)
        }
        now = Monotonic.now()
        // -1 is EINTR here: a turn without events.
        for index in 0..<max(0, Int(count)) {
            if unsafe channel(of: events[index])?.standsBack == true {
                behind.append(index)
            } else {
                unsafe serve(events[index])
            }
        }
        serveBehind()
        for _ in 0..<Self.share {
            guard let entry = timers.popDue(at: now) else { break }
            fire(entry)
        }
    }

    /// Serves those that stand back, others in each turn; the rest are told again, after those who come meanwhile.
    private func serveBehind() {
        for place in 0..<min(behind.count, Self.share) {
            unsafe serve(events[behind[(firstBehind + place) % behind.count]])
        }
        if behind.count > Self.share { firstBehind = (firstBehind + Self.share) % behind.count }
        behind.removeAll(keepingCapacity: true)
    }

    private func channel(of event: epoll_event) -> (any Channel)? {
        let word = unsafe event.data.u64
        let id = ChannelID(descriptor: Int32(truncatingIfNeeded: word), generation: UInt32(word >> 32))
        return isLive(id) ? slots[Int(id.descriptor)].channel : nil
    }

    private func serve(_ event: epoll_event) {
        guard let channel = unsafe channel(of: event) else { return }
        var readiness: Readiness = []
        if unsafe event.events & EPOLLIN.rawValue != 0 { readiness.insert(.read) }
        if unsafe event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.write) }
        if unsafe event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hangup) }
        channel.ready(readiness)
    }

    private func fire(_ entry: TimerHeap.Entry) {
        switch entry.target {
        case .work(let token):
            token.fire()
        case .channel(let id):
            let index = Int(id.descriptor)
            guard isLive(id), slots[index].armed == entry.due else { return }
            slots[index].armed = .max
            let deadline = slots[index].deadline
            guard deadline <= now else { return setDeadline(deadline == .max ? nil : deadline, of: id) }
            slots[index].deadline = .max
            let channel = slots[index].channel
            channel?.deadlinePassed()
        }
    }

    /// Milliseconds until the earliest timer, rounded up so that a turn never ends just short of it.
    private func timeout() -> Int32 {
        guard let earliest = timers.earliest else { return -1 }
        let now = Monotonic.now()
        guard earliest > now else { return 0 }
        return Int32(min((earliest - now) / 1_000_000 + 1, 3_600_000))
    }

    private func isLive(_ id: ChannelID) -> Bool {
        let index = Int(id.descriptor)
        return index < slots.count && slots[index].channel != nil && slots[index].generation == id.generation
    }

    private func control(_ operation: Int32, _ id: ChannelID, _ interest: Interest) throws(SystemError) {
        var event = unsafe epoll_event()
        if interest.contains(.read) { unsafe event.events |= EPOLLIN.rawValue }
        if interest.contains(.write) { unsafe event.events |= EPOLLOUT.rawValue }
        unsafe event.data.u64 = UInt64(id.generation) << 32 | UInt64(UInt32(bitPattern: id.descriptor))
        guard unsafe epoll_ctl(epoll.number, operation, id.descriptor, &event) == 0 else {
            throw .last("watch a descriptor")
        }
    }
}
