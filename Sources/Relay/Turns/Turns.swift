/// Work that waits, served in turn: each payer's first piece, then each payer's second, however many pieces one of them
/// has left. Pure; every step takes the same time, however much waits.
///
/// A turn pays for so much cost. Whose piece costs more owes the rest, and is passed over for as many turns: what a piece
/// costs is estimated when it is taken, and the rest is charged once it is known. Nobody is passed over for ever, since
/// debts are bounded, and nobody at all when nobody else waits, but who has a piece that is worked at (deficit round robin,
/// with what was overdrawn carried on).
struct Turns<Payer: Hashable & Sendable, Job: Sendable>: Sendable {
    /// How much is borne.
    struct Bounds {
        /// What all that waits may weigh, in bytes.
        var weight: Int
        /// What one payer's work may weigh of it.
        var share: Int
        /// The cost that one turn pays for.
        var turn: Int
        /// The most that anybody owes.
        var debt: Int
        /// How many payers are remembered for what they owe alone.
        var debtors = 4096
    }

    /// What came of leaving a piece of work.
    struct Outcome {
        /// Whether it waits; not when there is no room for it.
        var isTaken: Bool
        /// What gave way to it, and waits no more.
        var displaced: [Job] = []
    }

    /// A piece of work whose turn it is.
    struct Taken {
        let job: Job
        let payer: Payer
        let cost: Int
    }

    private struct Entry {
        var job: Job?
        var weight: Int
        var cost: Int
    }

    private struct Queue {
        var payer: Payer
        var jobs = SlotLists.List()
        var weight = 0
        var debt = 0
    }

    /// More than so many places are given back once nothing waits.
    private static var keptPlaces: Int { 1024 }

    let bounds: Bounds
    /// How many pieces wait.
    private(set) var count = 0
    /// What they weigh.
    private(set) var weight = 0
    private var entries: [Entry] = []
    private var freeEntries: [Int] = []
    private var jobLinks = SlotLists()
    private var queues: [Queue] = []
    private var freeQueues: [Int] = []
    private var queueOf: [Payer: Int] = [:]
    /// How many payers have work.
    private var busy = 0
    /// Everybody who has work or owes, in the order of their turns.
    private var ring = SlotLists.List()
    private var ringLinks = SlotLists()
    /// Payers by the number of bits of their weight, so that one of the heaviest is found at once.
    private var classes = [SlotLists.List](repeating: SlotLists.List(), count: Int.bitWidth + 1)
    private var classLinks = SlotLists()
    private var occupiedClasses: UInt64 = 0

    init(_ bounds: Bounds) {
        self.bounds = bounds
    }

    /// How many payers are remembered.
    var payerCount: Int { queueOf.count }

    /// Leaves a piece of work. When all that may wait does, the newest of one of the heaviest payers gives way to it, unless
    /// its own payer is as heavy.
    mutating func put(_ job: Job, of payer: Payer, weight added: Int, cost: Int = 0) -> Outcome {
        let index = queue(of: payer)
        guard queues[index].weight + added <= bounds.share else {
            releaseIfIdle(index)
            return Outcome(isTaken: false)
        }
        var outcome = Outcome(isTaken: true)
        while weight + added > bounds.weight {
            guard let heaviest, heaviest != index, queues[heaviest].weight > queues[index].weight + added,
                let newest = queues[heaviest].jobs.last
            else {
                outcome.isTaken = false
                releaseIfIdle(index)
                return outcome
            }
            if let job = remove(newest, of: heaviest).job { outcome.displaced.append(job) }
        }
        let entry = Entry(job: job, weight: added, cost: cost)
        let slot: Int
        if let free = freeEntries.popLast() {
            slot = free
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
        }
        if queues[index].jobs.isEmpty { busy += 1 }
        jobLinks.append(slot, to: &queues[index].jobs)
        change(weightOf: index, by: added)
        count += 1
        return outcome
    }

    /// Whether work waits of anybody but these.
    func hasWork(besides engaged: Set<Payer> = []) -> Bool {
        engaged.count { payer in queueOf[payer].map { !queues[$0].jobs.isEmpty } ?? false } < busy
    }

    /// Takes the piece whose turn it is; `nil` when nothing waits of anybody else.
    ///
    /// - Parameter engaged: whose turn it is not yet, since a piece of theirs is worked at.
    mutating func take(besides engaged: Set<Payer> = []) -> Taken? {
        guard hasWork(besides: engaged) else {
            rest()
            return nil
        }
        while let index = ring.first {
            ringLinks.remove(index, from: &ring)
            if !queues[index].jobs.isEmpty, engaged.contains(queues[index].payer) {
                ringLinks.append(index, to: &ring)
                continue
            }
            if queues[index].debt >= bounds.turn, !queues[index].jobs.isEmpty || queueOf.count - busy <= bounds.debtors
            {
                queues[index].debt -= bounds.turn
                ringLinks.append(index, to: &ring)
                continue
            }
            guard let first = queues[index].jobs.first else {
                queueOf[queues[index].payer] = nil
                freeQueues.append(index)
                continue
            }
            let entry = remove(first, of: index)
            owe(entry.cost - bounds.turn, index)
            ringLinks.append(index, to: &ring)
            guard let job = entry.job else { continue }
            return Taken(job: job, payer: queues[index].payer, cost: entry.cost)
        }
        return nil
    }

    /// Charges what was not known when a piece was taken. It is forgiven where nobody waits.
    mutating func charge(_ cost: Int, to payer: Payer) {
        guard cost > 0, count > 0 else { return }
        owe(cost, queue(of: payer))
    }

    /// Where nothing waits, nobody owes anything, and everybody begins anew.
    mutating func rest() {
        guard count == 0, !queueOf.isEmpty else { return }
        if max(entries.count, queues.count) > Self.keptPlaces {
            self = Turns(bounds)
        } else {
            queueOf.removeAll(keepingCapacity: true)
            queues.removeAll(keepingCapacity: true)
            freeQueues.removeAll(keepingCapacity: true)
            ring = SlotLists.List()
        }
    }

    /// The payer's place, which is made where there is none.
    private mutating func queue(of payer: Payer) -> Int {
        if let index = queueOf[payer] { return index }
        let index: Int
        if let free = freeQueues.popLast() {
            index = free
            queues[index] = Queue(payer: payer)
        } else {
            index = queues.count
            queues.append(Queue(payer: payer))
        }
        queueOf[payer] = index
        ringLinks.append(index, to: &ring)
        return index
    }

    private mutating func remove(_ slot: Int, of index: Int) -> Entry {
        jobLinks.remove(slot, from: &queues[index].jobs)
        let entry = entries[slot]
        entries[slot].job = nil
        freeEntries.append(slot)
        if queues[index].jobs.isEmpty { busy -= 1 }
        change(weightOf: index, by: -entry.weight)
        count -= 1
        return entry
    }

    private mutating func owe(_ cost: Int, _ index: Int) {
        guard cost > 0 else { return }
        queues[index].debt = min(cost, bounds.debt - queues[index].debt) + queues[index].debt
    }

    private var heaviest: Int? {
        occupiedClasses == 0 ? nil : classes[UInt64.bitWidth - occupiedClasses.leadingZeroBitCount].first
    }

    private mutating func change(weightOf index: Int, by difference: Int) {
        weight += difference
        let before = Int.bitWidth - queues[index].weight.leadingZeroBitCount
        queues[index].weight += difference
        let after = Int.bitWidth - queues[index].weight.leadingZeroBitCount
        guard before != after else { return }
        if before > 0 {
            classLinks.remove(index, from: &classes[before])
            if classes[before].isEmpty { occupiedClasses &= ~(1 << UInt64(before - 1)) }
        }
        if after > 0 {
            classLinks.append(index, to: &classes[after])
            occupiedClasses |= 1 << UInt64(after - 1)
        }
    }

    private mutating func releaseIfIdle(_ index: Int) {
        guard queues[index].jobs.isEmpty, queues[index].debt == 0 else { return }
        ringLinks.remove(index, from: &ring)
        queueOf[queues[index].payer] = nil
        freeQueues.append(index)
    }
}
