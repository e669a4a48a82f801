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
        var standsBack = false
        /// When the channel wants to be told, and the earliest heap entry that will look at it.
        var deadline = UInt64.max
        var armed = UInt64.max
    }

    /// Bytes in the buffer that every channel of the loop reads into; none keeps one while idle.
    static let scratchSize = 64 * 1024
    /// Events that are fetched at once.
    private static let maxEvents = 256

    private let epoll: Descriptor
    /// Those who stand back. That the loop wakes for them, this set is in the other one.
    private let behind: Descriptor
    private var countBehind = 0
    private var slots: [Slot] = []
    private var timers = TimerHeap()
    private var events = unsafe [epoll_event](repeating: unsafe epoll_event(), count: Reactor.maxEvents)
    /// Tells monotonic nanoseconds.
    private let clock: () -> UInt64
    /// Monotonic nanoseconds at the start of the current turn.
    private(set) var now: UInt64
    /// When the turn before this one ended.
    private var lastEnd: UInt64
    /// Taken (left empty) by whoever reads, and put back.
    var scratch = [UInt8](repeating: 0, count: Reactor.scratchSize)

    init(clock: @escaping () -> UInt64 = Monotonic.now) throws(SystemError) {
        self.clock = clock
        (now, lastEnd) = (clock(), clock())
        epoll = try Self.makeSet()
        behind = try Self.makeSet()
        // No channel ever has this number while the set is open: its events are nobody's.
        try control(epoll.number, EPOLL_CTL_ADD, ChannelID(descriptor: behind.number, generation: 0), .read)
    }

    private static func makeSet() throws(SystemError) -> Descriptor {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .last("make an epoll set") }
        return Descriptor(owning: number)
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
        try control(epoll.number, EPOLL_CTL_ADD, id, interest)
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
        try? control(set(of: id), EPOLL_CTL_MOD, id, interest)
    }

    /// Says whether a channel stands back: its other side is in the middle of something that may come a byte at a time,
    /// and whoever has a whole request goes first, however many there are.
    func setStandsBack(_ standsBack: Bool, of id: ChannelID) {
        guard isLive(id), slots[Int(id.descriptor)].standsBack != standsBack else { return }
        try? control(set(of: id), EPOLL_CTL_DEL, id, [])
        slots[Int(id.descriptor)].standsBack = standsBack
        countBehind += standsBack ? 1 : -1
        // As above.
        try? control(set(of: id), EPOLL_CTL_ADD, id, slots[Int(id.descriptor)].interest)
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
        try? control(set(of: id), EPOLL_CTL_DEL, id, [])
        if slots[Int(id.descriptor)].standsBack { countBehind -= 1 }
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
        countBehind = 0
        timers = TimerHeap()
        _ = consume dropped
    }

    /// One turn: waits for events (not at all unless `mayWait`), serves them, then a portion of those who stand back and of
    /// what has become due.
    func turn(mayWait: Bool) {
        // What other threads left for the loop was done since.
        let between = clock() - lastEnd
        let count = wait(for: epoll.number, atMost: Self.maxEvents, mayWait ? timeout() : 0)
        now = clock()
        for index in 0..<count { unsafe serve(events[index]) }
        let busy = between + clock() - now
        serveBehind(TurnPortion(beside: busy, from: clock()))
        keepDeadlines(TurnPortion(beside: busy, from: clock()))
        lastEnd = clock()
    }

    private func serveBehind(_ portion: consuming TurnPortion) {
        while countBehind > 0, !portion.isSpent(at: clock()) {
            let count = wait(for: behind.number, atMost: TurnPortion.least, 0)
            guard count > 0 else { return }
            for index in 0..<count { unsafe serve(events[index]) }
            portion.take(count)
        }
    }

    private func keepDeadlines(_ portion: consuming TurnPortion) {
        while !portion.isSpent(at: clock()), let entry = timers.popDue(at: now) {
            if fire(entry) { portion.take(1) }
        }
    }

    /// Waits for events of a set, at most so many milliseconds; -1: for ever.
    ///
    /// - Returns: how many there are now. Where a signal came, none.
    private func wait(for set: Int32, atMost count: Int, _ timeout: Int32) -> Int {
        let found = unsafe events.withUnsafeMutableBufferPointer { buffer in
            unsafe epoll_wait(set, buffer.baseAddress, Int32(count), timeout)
        }
        return max(0, Int(found))
    }

    private static func id(of event: epoll_event) -> ChannelID {
        let word = unsafe event.data.u64
        return ChannelID(descriptor: Int32(truncatingIfNeeded: word), generation: UInt32(word >> 32))
    }

    private func serve(_ event: epoll_event) {
        let id = unsafe Self.id(of: event)
        guard isLive(id), let channel = slots[Int(id.descriptor)].channel else { return }
        var readiness: Readiness = []
        if unsafe event.events & EPOLLIN.rawValue != 0 { readiness.insert(.read) }
        if unsafe event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.write) }
        if unsafe event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hangup) }
        channel.ready(readiness)
    }

    /// - Returns: whether anybody was told.
    private func fire(_ entry: TimerHeap.Entry) -> Bool {
        switch entry.target {
        case .work(let token):
            return token.fire()
        case .channel(let id):
            let index = Int(id.descriptor)
            guard isLive(id), slots[index].armed == entry.due else { return false }
            slots[index].armed = .max
            let deadline = slots[index].deadline
            guard deadline <= now else {
                setDeadline(deadline == .max ? nil : deadline, of: id)
                return false
            }
            slots[index].deadline = .max
            let channel = slots[index].channel
            channel?.deadlinePassed()
            return true
        }
    }

    /// Milliseconds until the earliest timer, rounded up so that a turn never ends just short of it.
    private func timeout() -> Int32 {
        guard let earliest = timers.earliest else { return -1 }
        let now = clock()
        guard earliest > now else { return 0 }
        return Int32(min((earliest - now) / 1_000_000 + 1, 3_600_000))
    }

    private func isLive(_ id: ChannelID) -> Bool {
        let index = Int(id.descriptor)
        return index < slots.count && slots[index].channel != nil && slots[index].generation == id.generation
    }

    /// The number of the set that a channel is in.
    private func set(of id: ChannelID) -> Int32 {
        slots[Int(id.descriptor)].standsBack ? behind.number : epoll.number
    }

    private func control(
        _ set: Int32,
        _ operation: Int32,
        _ id: ChannelID,
        _ interest: Interest
    ) throws(SystemError) {
        var event = unsafe epoll_event()
        if interest.contains(.read) { unsafe event.events |= EPOLLIN.rawValue }
        if interest.contains(.write) { unsafe event.events |= EPOLLOUT.rawValue }
        unsafe event.data.u64 = UInt64(id.generation) << 32 | UInt64(UInt32(bitPattern: id.descriptor))
        guard unsafe epoll_ctl(set, operation, id.descriptor, &event) == 0 else {
            throw .last("watch a descriptor")
        }
    }
}
