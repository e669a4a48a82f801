import MildamSystem
import MildamTerminal
import MildamVault

let vaultSync = ActionCommand(
    ["vault", "sync"],
    summary: "Bring a folder and the vault in step, both ways.",
    discussion: """
        What is to be done is shown first, and asked for. A file that was changed or removed on one side since the last \
        time is changed or removed on the other; what the vault had is a former version then, and what is removed from it is \
        gone for good. Where both sides have changed it, or had it before the first time, both versions are kept, on both \
        sides: the vault's gets a name with the date. Another folder than the last time, such as one on another disk, counts \
        as one of which nothing is known, and so does what lies below it on another disk that is mounted there: nothing is \
        removed or replaced on its account. What lay on a disk that is not mounted any more is left alone.

        Where a file system does not tell its disk from the next one (FAT, exFAT, XFS, NFS), the vault leaves a mark in the \
        folder, .mildam-….folder; a copy of the folder that has the mark counts as the folder. On FAT, a file that changed \
        and has its size and time still is taken for unchanged. A folder of the same disk that is mounted below \
        (mount --bind) is not told from one that was emptied.

        Links, devices and sockets are left alone, and so is what the vault has under their names. Folders that are empty \
        after a removal go, too. Times are kept, in whole seconds. A file in the folder that gets another content keeps its \
        permissions; one that is new there is readable by its owner alone. Interrupted, it goes on the next time.
        """,
    operands: [Operand("FOLDER", help: "The folder, which has to be there.", completion: .folder)],
    options: [
        OptionSpec(
            "as",
            value: .init("NAME", completion: KnownNames.vault.completion),
            help: "The folder of the vault; the whole vault unless given."
        ),
        OptionSpec("dry-run", help: "Only say what would be done."),
        OptionSpec("yes", short: "y", help: "Do not ask."),
        vaultOption,
    ],
    examples: [
        .init("mildam vault sync ~/photos --as photos", "What is new on either side is then on both."),
        .init("mildam vault sync ~/photos --as photos --dry-run", "What would be done."),
    ],
    exitNotes: [
        .init(.failed, "both versions of a file were kept, or files could not be brought in step for several reasons"),
        .init(.notFound, "there is no such folder"),
        .init(.refused, "it was not agreed to; or what cannot be in a vault, or lost its disk, was left alone"),
    ]
) { action in
    let isTrial = action.invocation.flag("dry-run")
    let top = try action.invocation.value("as").map(VaultName.folder)
    let vault = try await action.openVault(changing: !isTrial)
    let day = LocalTime(seconds: WallClock.system.seconds).day
    let plan = try action.following("comparing") { monitor in
        try vault.planSync(with: action.invocation.operand("FOLDER"), as: top, day: day, monitor: monitor)
    }
    var outcome = SyncOutcome(plan)
    outcome.tellCautions(action.report)
    guard !isTrial else { return try outcome.answer(action.report) }
    if !plan.steps.isEmpty, !action.report.isJSON { try action.console.print(outcome.text) }
    guard try action.mayDo(plan) else {
        try action.report.answer(outcome.value) { "nothing was done" }
        return .refused
    }
    outcome.begin()
    // Where there is nothing to do, too: what is in step is remembered.
    try action.following("bringing in step") { monitor in
        try vault.sync(plan, monitor: monitor) { outcome.note($0, $1) }
    }
    return try outcome.answer(action.report)
}

extension Action {
    fileprivate func mayDo(_ plan: VaultSyncPlan) throws -> Bool {
        if plan.steps.isEmpty || invocation.flag("yes") { return true }
        return try Prompt().confirm("\(SyncSum(plan.steps)). Do it?", option: "--yes")
    }
}

/// What is to be done, and what became of it.
private struct SyncOutcome {
    private let plan: VaultSyncPlan
    private var done: [VaultSyncPlan.Step]?
    private var failures: [(step: VaultSyncPlan.Step, error: VaultError)] = []

    init(_ plan: VaultSyncPlan) {
        self.plan = plan
    }

    /// From now on it is done.
    mutating func begin() { done = [] }

    mutating func note(_ step: VaultSyncPlan.Step, _ error: VaultError?) {
        if let error { failures.append((step, error)) } else { done?.append(step) }
    }

    /// Says why nothing is removed or replaced, and what is left alone.
    func tellCautions(_ report: Report) {
        let cause: String? =
            switch plan.caution {
            case .stateUnreadable?: "what the last sync knew cannot be read"
            case .otherFolder?: "\(plan.folder) is another folder than at the last sync"
            case nil: nil
            }
        if let cause { report.note("\(cause): nothing is removed, and what differs is kept twice") }
        for path in plan.otherDisks {
            report.note(
                "\(path) is on another disk than at the last sync: nothing is removed below it, and what differs is kept twice"
            )
        }
        for (path, error) in plan.refusals { report.note(Self.text(path, error)) }
    }

    /// One line that names the path.
    private static func text(_ path: String, _ error: VaultError) -> String {
        switch error {
        case .invalidName: "\(path): \(error)"
        case .sourceChanged: "\(path) was changed meanwhile, and stays as it is: sync again"
        default: "\(error)"
        }
    }

    /// A name that cannot stand in a vault was not typed here.
    private static func status(_ error: VaultError) -> ExitStatus {
        if case .invalidName = error { .refused } else { error.exitStatus }
    }

    /// The plan, a line for each file.
    var text: String {
        let width = plan.steps.map { $0.action.text.count }.max() ?? 0
        return plan.steps.map { step in
            let name = shown(step.name.description)
            let line = DisplayWidth.padded(step.action.text, to: width) + "  " + name
            guard case .keepBoth(let other) = step.action else { return line }
            return line + ", and the vault's as \(shown(other.description))"
        }.joined(separator: "\n")
    }

    /// Tells it; the status follows from what was not done.
    func answer(_ report: Report) throws -> ExitStatus {
        for (step, error) in failures { report.note(Self.text("\(plan.folder)/\(step.name)", error)) }
        try report.answer(value) { summary }
        var statuses = plan.refusals.map { Self.status($0.error) }
        guard let done else { return .of(statuses) }
        statuses += failures.map { Self.status($0.error) }
        if done.contains(where: { if case .keepBoth = $0.action { true } else { false } }) { statuses.append(.failed) }
        return .of(statuses)
    }

    private var summary: String {
        let left = plan.refusals.isEmpty ? "" : "; \(plan.refusals.count) left alone"
        guard !plan.steps.isEmpty else { return "in step: \(EntrySum.text(plan.same))\(left)" }
        guard let done else { return "\(text)\n\(SyncSum(plan.steps))\(left)" }
        return "\(SyncSum(done))\(failures.isEmpty ? "" : "; \(failures.count) not done")\(left)"
    }

    /// The same for a program.
    var value: some Encodable {
        Answer(
            folder: plan.folder,
            same: plan.same,
            steps: plan.steps.map(Answer.Step.init),
            done: done?.map { $0.name.description },
            failed: failures.map { step, error in
                .init(name: step.name.description, error: Self.text("\(step.name)", error))
            },
            refused: plan.refusals.map { .init(path: $0.path, error: "\($0.error)") }
        )
    }

    private struct Answer: Encodable {
        struct Step: Encodable {
            var name: String
            var action: String
            var vaultName: String?
            var size: Int

            init(_ step: VaultSyncPlan.Step) {
                name = step.name.description
                action = step.action.word
                size = step.size
                if case .keepBoth(let other) = step.action { vaultName = other.description }
            }
        }
        struct Failure: Encodable {
            var name: String
            var error: String
        }
        struct Refusal: Encodable {
            var path: String
            var error: String
        }
        var folder: String
        var same: Int
        var steps: [Step]
        /// What was done of it; nothing was tried where it is missing.
        var done: [String]?
        var failed: [Failure]
        var refused: [Refusal]
    }
}

/// How many files go which way: "3 to the vault, 1 removed from the folder".
private struct SyncSum: CustomStringConvertible {
    let description: String

    init(_ steps: [VaultSyncPlan.Step]) {
        let parts = VaultSyncPlan.Action.directions.compactMap { direction -> String? in
            let count = steps.count { $0.action.direction == direction }
            return count == 0 ? nil : "\(count) \(direction)"
        }
        description = parts.isEmpty ? "nothing was done" : parts.joined(separator: ", ")
    }
}

extension VaultSyncPlan.Action {
    fileprivate static let directions = [
        "to the vault", "to the folder", "removed from the vault", "removed from the folder", "kept twice",
    ]

    /// One of the directions.
    fileprivate var direction: String {
        switch self {
        case .addToVault, .replaceInVault: "to the vault"
        case .writeToFolder, .replaceInFolder: "to the folder"
        case .removeFromVault: "removed from the vault"
        case .removeFromFolder: "removed from the folder"
        case .keepBoth: "kept twice"
        }
    }

    /// What is done, for people.
    fileprivate var text: String {
        switch self {
        case .addToVault, .writeToFolder: "\(direction), new"
        case .replaceInVault, .replaceInFolder: "\(direction), changed"
        case .removeFromVault: "remove from the vault"
        case .removeFromFolder: "remove from the folder"
        case .keepBoth: "keep both"
        }
    }

    /// What is done, for programs.
    fileprivate var word: String {
        switch self {
        case .addToVault: "add-to-vault"
        case .replaceInVault: "replace-in-vault"
        case .writeToFolder: "write-to-folder"
        case .replaceInFolder: "replace-in-folder"
        case .removeFromVault: "remove-from-vault"
        case .removeFromFolder: "remove-from-folder"
        case .keepBoth: "keep-both"
        }
    }
}
