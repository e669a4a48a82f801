import MildamKeychain
import MildamTerminal

/// What a repair came to.
struct RepairOutcome {
    /// What was found: before, in a file that was taken as it is; in the new file otherwise.
    var found: KeychainReport
    /// Where the file is kept as it was.
    var damagedFile: String?
    /// Where its write-ahead log is kept; `nil` where it had none.
    var damagedLog: String?
    /// What came back from the copies.
    var restored: [RestoredItem] = []
    /// How many items were read in a file that was damaged as a whole; `nil` of one that was taken as it is.
    var read: Int?
    /// Those of which only what they are called was read there.
    var named: [KeychainItem] = []
    /// Those whose name a newer item had.
    var trashed: [KeychainItem] = []
    /// The numbers of those that are known of, and could not be read there.
    var lost: [Int64] = []

    /// What is gone all the same.
    private var back: Set<Int64> { Set(restored.map(\.item.reference.number)) }
    fileprivate var stillNamed: [KeychainItem] { named.filter { !back.contains($0.reference.number) } }
    fileprivate var stillLost: [Int64] { lost.filter { !back.contains($0) } }
}

extension Action {
    /// Says what a repair came to.
    func tell(_ outcome: RepairOutcome) throws -> ExitStatus {
        let answer = RepairAnswer(
            items: outcome.found.items,
            damaged: outcome.found.damaged,
            unopened: outcome.found.unopened,
            problem: outcome.found.problem.map { "\($0)" },
            read: outcome.read,
            restored: outcome.restored.map { .init(item: ItemLine($0.item), copied: time($0.time)) },
            lostSecrets: outcome.stillNamed.map(ItemLine.init),
            trashed: outcome.trashed.map(ItemLine.init),
            lost: outcome.stillLost,
            damagedFile: outcome.damagedFile,
            damagedLog: outcome.damagedLog
        )
        return try report.answer(answer) {
            var lines = outcome.read.map { ["\($0) items were read in the damaged file"] } ?? []
            lines.append(line(of: outcome.found))
            lines += answer.restored.map { "back from the copy of \($0.copied): \($0.item.name)" }
            lines += answer.lostSecrets.map { "lost but for its name: \($0.name)" }
            lines += answer.trashed.map { "in the trash, for a newer item has its name: \($0.name)" }
            lines += answer.lost.map { "lost: item \($0), which could not be read at all" }
            if let file = outcome.damagedFile { lines.append(shown("the file as it was is kept: \(file)")) }
            if let log = outcome.damagedLog { lines.append(shown("its log of the last changes is kept: \(log)")) }
            return lines.joined(separator: "\n")
        }
    }
}

private struct RepairAnswer: Encodable {
    struct Restored: Encodable {
        var item: ItemLine
        var copied: String
    }

    var items: Int
    var damaged: [Int64]
    var unopened: Int
    var problem: String?
    var read: Int?
    var restored: [Restored]
    var lostSecrets: [ItemLine]
    var trashed: [ItemLine]
    var lost: [Int64]
    var damagedFile: String?
    var damagedLog: String?
}
