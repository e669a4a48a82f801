import MildamKeychain
import MildamTerminal

let keychainTrash = ActionCommand(
    ["keychain", "trash"],
    summary: "List what was removed, or put it back.",
    discussion: """
        What `mildam keychain remove` and `mildam otp remove` take away is kept for 30 days, sealed as it was, with the \
        values that it had before. It goes with the first change to the keychain after that.
        """,
    options: [
        OptionSpec("restore", value: .init("N"), help: "Put back what is listed under this number."),
        OptionSpec("empty", help: "Give up all of it for good."),
        OptionSpec("yes", short: "y", help: "Do not ask before that."),
    ] + KeychainOpening.all,
    examples: [
        .init("mildam keychain trash", "What there is, and until when."),
        .init("mildam keychain trash --restore 12", "As it was when it was removed."),
    ],
    exitNotes: [
        .init(.notFound, "nothing of this number was removed"),
        .init(.refused, "another item has its name by now, or it was not agreed to"),
    ]
) { action in
    let wanted: Int64? = try action.invocation.integer("restore", in: 1...Int64.max)
    let isEmptied = action.invocation.flag("empty")
    guard wanted == nil || !isEmptied else { throw action.wrong("--restore", "left out with --empty") }
    let keychain = try await action.openKeychain()
    if isEmptied { return try action.emptyTrash(of: keychain) }
    let removed = TrashedRecord.all(of: try keychain.past(of: nil).filter(\.isRemoved))
    guard let number = wanted else {
        return try action.report.answer(["items": removed.map { PastLine($0.last, action, as: $0.line) }]) {
            removed.isEmpty ? "nothing" : removed.map(\.text).joined(separator: "\n")
        }
    }
    guard let record = removed.first(where: { $0.last.number == number }) else {
        throw NoPast(number: number, list: "trash")
    }
    for past in record.items.reversed() { try action.putBack(past, into: keychain) }
    return try action.report.answer(["restored": record.line]) { "restored \(record.line.name)" }
}

extension Action {
    fileprivate func emptyTrash(of keychain: any KeychainWithPast) throws -> ExitStatus {
        if !invocation.flag("yes") {
            let question = "Give up all that was removed? It cannot be put back any more."
            guard try Prompt().confirm(question, option: "--yes") else { throw Declined() }
        }
        let count = try keychain.forget(nil)
        return try report.answer(["forgotten": count]) { "gave up \(count == 1 ? "1 item" : "\(count) items")" }
    }

    fileprivate func putBack(_ past: PastItem, into keychain: any KeychainWithPast) throws {
        // What is there again by now was put back by somebody else, who may have changed it since.
        do throws(KeychainError) { try keychain.restore(past.number, unlessChangedSince: nil) } catch {
            guard error == .duplicateItem else { throw error }
            let line = ItemLine(past.item)
            throw NameIsTaken(name: [line.place, line.account].filter { !$0.isEmpty }.joined(separator: " "))
        }
    }
}

/// What was removed and belongs together.
private struct TrashedRecord {
    let line: ItemLine
    /// In the order in which they were removed.
    let items: [PastItem]
    /// The one that all go by.
    let last: PastItem

    /// "12  login  example.org  alice  removed 2026-11-21, kept until 2026-12-21".
    var text: String {
        let until = last.keptUntil.map { ", kept until \(LocalTime($0).day)" } ?? ""
        return "\(last.number)  \(line.text)  removed \(LocalTime(last.time).day)\(until)"
    }

    static func all(of removed: [PastItem]) -> [TrashedRecord] {
        let byReference = Dictionary(removed.map { ($0.item.reference, $0) }) { $1 }
        return ItemRecord.all(of: removed.map(\.item)).compactMap { record in
            let items = record.items.compactMap { byReference[$0.reference] }
            guard let last = items.max(by: { $0.number < $1.number }) else { return nil }
            return TrashedRecord(line: ItemLine(record), items: items, last: last)
        }
    }
}
