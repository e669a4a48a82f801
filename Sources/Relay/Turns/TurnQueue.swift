import MildamTransport

/// Hands work from any thread to those that wait for it, in turn by who pays for it. Whoever has a piece that is worked at has
/// no other worked at beside it: nobody keeps all threads, and what one leaves is done in its order.
final class TurnQueue<Job: Sendable>: Sendable {
    /// How much may wait, in bytes: of all, and of one payer.
    private static var maximumWeight: Int { 64 << 20 }
    private static var maximumShare: Int { maximumWeight / 4 }
    /// What a piece of work weighs beside its content.
    private static var baseWeight: Int { 512 }
    /// The time that one turn pays for, in nanoseconds: most reads and writes take less. Costs are the time that work takes
    /// the thread, so that rows and bytes are in them as they should be.
    static var turn: Int { 250_000 }
    /// The most that a payer owes.
    private static var maximumDebt: Int { 64 * turn }

    /// Work, and whether anybody waits for it.
    private struct Item: Sendable {
        let job: Job
        let turn: Turn
    }

    private struct State: Sendable {
        var turns: Turns<Payer, Item>
        var isClosed = false
        /// Whose work the threads are at.
        var engaged: Set<Payer> = []
        /// How many threads have nothing to do.
        var idle = 0
        /// How many must wait before who takes several at once is woken; nobody is woken who is busy anyway.
        var awaited = Int.max
    }

    /// What came of leaving a piece of work.
    struct Outcome {
        /// Whether it waits; not when its payer has enough that waits, or the queue is closed.
        let isTaken: Bool
        /// What gave way to it, and waits no more.
        let displaced: [Job]
    }

    /// A piece of work whose turn it is.
    struct Taken {
        let job: Job
        let payer: Payer
        /// Whether nobody waits for it any more.
        let isAbandoned: Bool
    }

    /// Work that is done together.
    struct Batch {
        var jobs: [Job] = []
        /// What nobody waits for any more.
        var abandoned: [Job] = []
    }

    private let monitor: Monitor<State>

    init() {
        let bounds = Turns<Payer, Item>.Bounds(
            weight: Self.maximumWeight,
            share: Self.maximumShare,
            turn: Self.turn,
            debt: Self.maximumDebt
        )
        monitor = Monitor(State(turns: Turns(bounds)))
    }

    /// Leaves a piece of work.
    ///
    /// - Parameters:
    ///   - weight: the bytes that it holds.
    ///   - cost: the time that it will take, as far as one can tell before, in nanoseconds.
    func put(_ job: Job, for turn: Turn, weight: Int, cost: Int = 0) -> Outcome {
        monitor.withLock { state in
            guard !state.isClosed else { return Outcome(isTaken: false, displaced: []) }
            let outcome = state.turns.put(
                Item(job: job, turn: turn),
                of: turn.payer,
                weight: weight + Self.baseWeight,
                cost: cost
            )
            if state.turns.count >= state.awaited || state.idle > 0 && !state.engaged.contains(turn.payer) {
                state.awaited = .max
                monitor.wakeOne()
            }
            return Outcome(isTaken: outcome.isTaken, displaced: outcome.displaced.map(\.job))
        }
    }

    /// Waits for a piece of work of somebody of whom none is worked at; `nil` when the queue is closed, and nothing is left.
    private func take() -> Taken? {
        var isIdle = false
        return monitor.wait { state in
            let isReady = state.isClosed || state.turns.hasWork(besides: state.engaged)
            if isReady == isIdle {
                isIdle.toggle()
                state.idle += isIdle ? 1 : -1
            }
            if !isReady { state.turns.rest() }
            return isReady
        } then: { state in
            guard let taken = state.turns.take(besides: state.engaged) else { return nil }
            state.engaged.insert(taken.payer)
            if state.idle > 0, state.turns.hasWork(besides: state.engaged) { monitor.wakeOne() }
            return Taken(
                job: taken.job.job,
                payer: taken.payer,
                isAbandoned: taken.job.turn.isAbandoned(othersWait: state.turns.count > 0)
            )
        }
    }

    /// Waits for work and takes what there is, up to a bound of its cost.
    ///
    /// - Parameters:
    ///   - maximum: what it may cost; the piece that goes beyond is the last.
    ///   - wanted: for how many pieces to wait a little longer.
    ///   - patience: how long, in nanoseconds.
    ///   - limit: how long to wait for the first, in nanoseconds; `nil`: for ever.
    /// - Returns: nothing when the time is over; `nil` when the queue is closed and empty.
    func take(
        upTo maximum: Int,
        gathering wanted: Int,
        for patience: Int,
        within limit: Int?
    ) -> Batch? {
        let waiting = monitor.wait(within: limit) { state in
            Self.isReady(&state, awaiting: 1)
        } then: { state in
            state.turns.count
        }
        if waiting > 0, waiting < wanted, patience > 0 {
            monitor.wait(within: patience) { state in
                Self.isReady(&state, awaiting: wanted)
            } then: { _ in
            }
        }
        return monitor.withLock { state in
            state.awaited = .max
            if state.turns.count == 0, state.isClosed { return nil }
            var batch = Batch()
            batch.jobs.reserveCapacity(min(state.turns.count, 1024))
            var cost = 0
            while cost < maximum, let taken = state.turns.take() {
                if taken.job.turn.isAbandoned(othersWait: state.turns.count > 0) {
                    batch.abandoned.append(taken.job.job)
                } else {
                    batch.jobs.append(taken.job.job)
                    cost += taken.cost
                }
            }
            return batch
        }
    }

    /// Works at what there is, in turn, until the queue is closed and nothing is left; who takes longer than a turn is charged
    /// for it. Several threads may.
    func serve(_ work: (Taken) -> Void) {
        while let taken = take() {
            let start = Monotonic.now()
            work(taken)
            let cost = Int(clamping: Monotonic.now() - start)
            monitor.withLock { state in
                state.engaged.remove(taken.payer)
                if cost > Self.turn { state.turns.charge(cost - Self.turn, to: taken.payer) }
            }
        }
    }

    /// Charges a payer for time that was not known before, in nanoseconds.
    func charge(_ cost: Int, to payer: Payer) {
        monitor.withLock { $0.turns.charge(cost, to: payer) }
    }

    /// How many pieces wait.
    var count: Int { monitor.withLock { $0.turns.count } }

    /// Whether nothing waits.
    var isEmpty: Bool { count == 0 }

    /// Takes no more; what waits is still handed over.
    func close() {
        monitor.withLock { state in
            state.isClosed = true
            monitor.wake()
        }
    }

    private static func isReady(_ state: inout State, awaiting wanted: Int) -> Bool {
        if state.turns.count >= wanted || state.isClosed {
            state.awaited = .max
            return true
        }
        state.turns.rest()
        state.awaited = wanted
        return false
    }
}
