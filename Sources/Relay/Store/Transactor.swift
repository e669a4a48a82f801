import MildamRelayAPI
import MildamStorage

/// Performs operations on a store's lane, in batches: each is judged by what is known, and what an accepted one changes is
/// applied. It belongs to the lane's thread.
final class Transactor {
    let lane: any CommitLane
    private var facts: Facts
    /// When the operations under way are taken to happen, in milliseconds since 1970.
    private var now: Int64 = 0
    /// What is still to be deleted, as the disk has it; the last is next.
    private(set) var remains: [Remains]

    /// Opens the store's lane.
    convenience init(_ store: any RelayStore, quota: RelayQuota = RelayQuota()) throws(RelayError) {
        let lane = try store.openLane()
        do throws(StorageError) {
            try self.init(lane, quota: quota)
        } catch {
            lane.close()
            throw .storage(error)
        }
    }

    init(_ lane: any CommitLane, quota: RelayQuota = RelayQuota()) throws(StorageError) {
        self.lane = lane
        facts = Facts(quota: quota, source: lane.loadsOnDemand ? lane : nil)
        remains = try lane.findRemains()
    }

    /// Begins a batch, for these operations.
    func begin(_ batch: [any WaitingOperation] = [], at now: Int64) throws(StorageError) {
        self.now = now
        try lane.begin()
        guard !lane.loadsOnDemand else { return }
        let keys = Set(batch.flatMap(\.prefetch))
        if !keys.isEmpty { try lane.load(Array(keys), into: &facts) }
    }

    /// Performs an operation in the open batch. What it asks for and nobody knows is loaded, and it is judged again.
    func perform<Operation: StoreOperation>(
        _ operation: Operation
    ) throws(StorageError) -> Result<Operation.Value, APIError> {
        var missing: FactKey?
        while true {
            switch judge(operation) {
            case .success(let result):
                if case .failure = result, !facts.keepsRefusal {
                    facts.undo()
                    return result
                }
                guard try apply() else { continue }
                facts.accept()
                return result
            case .failure(let error):
                facts.undoForAnotherTry()
                if let failure = facts.failure { throw failure }
                guard error.key != missing else { throw .misuse("the store does not say what it was asked") }
                missing = error.key
                try lane.load([error.key], into: &facts)
            }
        }
    }

    /// - Returns: whether the store took the changes; not where a message is there that was presumed to be new.
    private func apply() throws(StorageError) -> Bool {
        do throws(StorageError) {
            try facts.apply(to: lane)
            return true
        } catch {
            guard case .constraint = error, facts.presumed != nil else { throw error }
            facts.contest()
            return false
        }
    }

    private func judge<Operation: StoreOperation>(
        _ operation: Operation
    ) -> Result<Result<Operation.Value, APIError>, Missing> {
        do throws(Missing) {
            return .success(try operation.judge(&facts, at: now))
        } catch {
            return .failure(error)
        }
    }

    /// Ends the batch: all of it is on the disk when this returns.
    ///
    /// - Returns: what it means for those who listen.
    func commit() throws(StorageError) -> [LiveNotice] {
        try lane.commit()
        remains.removeAll { facts.finished.contains($0) }
        for new in facts.begun where !remains.contains(new) { remains.append(new) }
        let notices = facts.notices
        facts.endBatch(keepingRooms: lane.isOnlyWriter)
        return notices
    }

    /// Undoes the batch. What was known of the store goes with it.
    func abort() {
        lane.abort()
        facts.endBatch(keepingRooms: false)
    }

    /// This cannot be deleted now.
    func giveUp(_ what: Remains) {
        remains.removeAll { $0 == what }
    }
}
