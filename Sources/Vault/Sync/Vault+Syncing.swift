import MildamFiles
import MildamSystem

extension Vault {
    /// Brings a folder and the vault in step, as was planned. It may be interrupted at any moment: whatever content was there
    /// before is there still, or was to be removed or replaced, and the next synchronisation goes on.
    ///
    /// - Parameters:
    ///   - plan: made by ``planSync(with:as:day:monitor:)`` of this vault, which nobody else has changed meanwhile.
    ///   - monitor: told of the bytes that were added and written.
    ///   - told: hears of each step that was done, or why it was not: `sourceChanged` where the folder's file was changed
    ///     since the plan was made, and stays as it is; `io`, `nameTaken`, `file`, `fileMissing`.
    /// - Throws: `storage`, `cancelled`, `io` where there is no room; what was told of stays.
    public func sync(
        _ plan: VaultSyncPlan,
        monitor: FileMonitor = FileMonitor(),
        told: @escaping (VaultSyncPlan.Step, VaultError?) -> Void
    ) throws(VaultError) {
        let run = SyncRun(self, plan, monitor, told)
        do throws(VaultError) {
            try run.doAll()
        } catch {
            try? run.save()
            throw error
        }
        try run.save()
    }
}

/// The steps of one plan.
private final class SyncRun {
    private let vault: Vault
    private let plan: VaultSyncPlan
    private var place: SyncFolder
    private var disks: [[UInt8]: UInt64]
    private let monitor: FileMonitor
    private let total: TotalMonitor
    private let told: (VaultSyncPlan.Step, VaultError?) -> Void
    /// The file in which what is in step is remembered.
    private let state: VaultEntryID
    private var records: [[UInt8]: SyncRecord]
    /// Conflicts in which the vault's content has its other name.
    private var parted: Set<[UInt8]> = []

    init(
        _ vault: Vault,
        _ plan: VaultSyncPlan,
        _ monitor: FileMonitor,
        _ told: @escaping (VaultSyncPlan.Step, VaultError?) -> Void
    ) {
        self.vault = vault
        self.plan = plan
        place = plan.place
        disks = plan.disks
        self.monitor = monitor
        self.told = told
        state = plan.state ?? .random()
        records = plan.records
        total = TotalMonitor(monitor, total: plan.steps.reduce(0) { $0 + $1.bytes })
    }

    /// Nothing is removed, nor replaced, before all else is done.
    func doAll() throws(VaultError) {
        leaveMarks()
        for part in plan.leftovers { place.clear(part) }
        try partConflicts()
        try add()
        try write(.writeToFolder)
        try writeConflicts()
        try replace()
        try write(.replaceInFolder)
        try removeFromVault()
        try removeFromFolder()
    }

    /// So that the folder, and each disk below it, is known again.
    private func leaveMarks() {
        place.leaveMark()
        for (key, number) in plan.disks where number == 0 {
            guard let name = try? VaultName(bytes: key), let mark = place.leaveMark(in: name) else { continue }
            disks[key] = place.parts.mark(mark)
        }
    }

    /// Remembers what is in step by now.
    func save() throws(VaultError) {
        let next = SyncState(
            folder: place.path,
            top: plan.top,
            number: place.number,
            disks: disks,
            records: records
        )
        try vault.system { () throws(SystemError) in
            try SyncStates(in: vault.folder, vault.keys).save(next, as: state)
        }
    }

    /// Does one step, and tells of it.
    private func attempt(
        _ step: VaultSyncPlan.Step,
        isLast: Bool = true,
        _ body: () throws(VaultError) -> Void
    ) throws(VaultError) {
        if monitor.isCancelled() { throw .cancelled }
        do throws(VaultError) {
            try body()
            if isLast { told(step, nil) }
        } catch {
            guard !error.endsSync else { throw error }
            parted.remove(step.name.key)
            told(step, error)
        }
    }

    // MARK: Into the vault

    /// Gives the vault's content its other name, so that the folder's can have the one of both.
    private func partConflicts() throws(VaultError) {
        let conflicts = plan.steps.filter { if case .keepBoth = $0.action { true } else { false } }
        guard !conflicts.isEmpty else { return }
        // What is moved was not removed, whenever this is interrupted.
        for step in conflicts { records[step.name.key] = nil }
        try save()
        for step in conflicts {
            guard case .keepBoth(let other) = step.action, let entry = plan.entries[step.name.key] else { continue }
            try attempt(step, isLast: false) { () throws(VaultError) in
                try vault.move(entry.name, to: try other.inVault(plan.top))
                parted.insert(step.name.key)
            }
        }
    }

    /// New files, and those whose names the vault's own content has given up.
    private func add() throws(VaultError) {
        try add(plan.steps.filter { $0.action == .addToVault || parted.contains($0.name.key) }, replacing: false)
    }

    /// Changed files take the places of the vault's entries, which are former versions from then on.
    private func replace() throws(VaultError) {
        try add(plan.steps.filter { $0.action == .replaceInVault }, replacing: true)
    }

    /// Adds the folder's files, and tells what became of each; of conflicts only where they could not be.
    private func add(_ steps: [VaultSyncPlan.Step], replacing: Bool) throws(VaultError) {
        guard !steps.isEmpty else { return }
        var sources: [VaultSource] = []
        for step in steps { sources.append(source(of: step, as: try step.name.inVault(plan.top))) }
        let part = total.part(sources.reduce(0) { $0 + ($1.size ?? 0) })
        defer { part.end() }
        var rule = AdditionRule()
        rule.replacing = replacing
        var results: [Result<VaultEntry, VaultError>] = []
        try vault.add(sources, rule: rule, monitor: part.monitor) { results.append($0.result) }
        for (step, result) in zip(steps, results) {
            switch result {
            case .success(let entry):
                if let file = plan.files[step.name.key] { record(step.name, entry, file.stamp) }
                if !parted.contains(step.name.key) { told(step, nil) }
            case .failure(let error):
                parted.remove(step.name.key)
                told(step, error)
            }
        }
    }

    private func source(of step: VaultSyncPlan.Step, as name: VaultName) -> VaultSource {
        let (place, file) = (self.place, step.name)
        let size = plan.files[file.key]?.stamp.size
        return VaultSource(path: place.path(of: file), name: name, size: size) { () throws(VaultError) in
            VaultSource.Content(file: try place.open(file))
        }
    }

    private func record(_ name: VaultName, _ entry: VaultEntry, _ stamp: SyncStamp) {
        records[name.key] = SyncRecord(digest: entry.digest, stamp: stamp, settled: plan.settled)
    }

    private func removeFromVault() throws(VaultError) {
        var steps: [VaultSyncPlan.Step] = []
        for step in plan.steps where step.action == .removeFromVault {
            // A file may have been away for a moment only, while somebody saved it.
            if place.isFree(step.name) {
                steps.append(step)
            } else {
                told(step, .sourceChanged(place.path(of: step.name)))
            }
        }
        guard !steps.isEmpty else { return }
        try vault.remove(steps.compactMap { plan.entries[$0.name.key] })
        for step in steps {
            records[step.name.key] = nil
            told(step, nil)
        }
    }

    // MARK: Into the folder

    private func write(_ action: VaultSyncPlan.Action) throws(VaultError) {
        for step in plan.steps where step.action == action {
            guard let entry = plan.entries[step.name.key] else { continue }
            let stamp = plan.files[step.name.key]?.stamp
            try attempt(step) { () throws(VaultError) in
                try write(entry, named: entry.name, to: step.name, replacing: stamp)
            }
        }
    }

    private func writeConflicts() throws(VaultError) {
        for step in plan.steps where parted.contains(step.name.key) {
            guard case .keepBoth(let other) = step.action, let entry = plan.entries[step.name.key] else { continue }
            try attempt(step) { () throws(VaultError) in
                try write(entry, named: try other.inVault(plan.top), to: other, replacing: nil)
            }
        }
    }

    private func write(
        _ entry: VaultEntry,
        named name: VaultName,
        to target: VaultName,
        replacing stamp: SyncStamp?
    ) throws(VaultError) {
        let part = total.part(entry.size)
        defer { part.end() }
        let written = try place.write(target, modified: entry.modified, replacing: stamp) {
            file throws(VaultError) in
            try vault.get(name, to: file, monitor: part.monitor)
        }
        record(target, entry, written)
    }

    private func removeFromFolder() throws(VaultError) {
        for step in plan.steps where step.action == .removeFromFolder {
            guard let file = plan.files[step.name.key] else { continue }
            try attempt(step) { () throws(VaultError) in
                try place.remove(step.name, standing: file.stamp)
                records[step.name.key] = nil
            }
        }
    }
}

extension VaultSyncPlan.Step {
    /// How many bytes are added and written for it.
    fileprivate var bytes: Int {
        switch action {
        case .removeFromVault, .removeFromFolder: 0
        default: size
        }
    }
}

extension VaultError {
    /// Whether no other file can be brought in step.
    fileprivate var endsSync: Bool {
        switch self {
        case .storage, .indexDamaged, .keysDoNotOpen, .cancelled: true
        case .io: !concernsOneFile
        default: false
        }
    }
}
