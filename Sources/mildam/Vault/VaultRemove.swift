import MildamTerminal
import MildamVault

let vaultRemove = ActionCommand(
    ["vault", "remove"],
    summary: "Remove entries and folders, for good.",
    operands: [Operand("NAME", help: "What they are called.", arity: .many, completion: KnownNames.vault.completion)],
    options: [
        OptionSpec("recursive", short: "r", help: "Remove everything in a folder; a terminal is asked otherwise."),
        vaultOption,
    ],
    examples: [
        .init("mildam vault remove letter.txt", "The entry and its file are gone."),
        .init("mildam vault remove photos", "Asks first: it says how many files are in the folder."),
    ],
    exitNotes: [.init(.notFound, "nothing is called so; nothing was removed"), .init(.refused, "it was not agreed to")]
) { action in
    let vault = try await action.openVault(changing: true)
    let selections = try action.invocation.operands("NAME").map { try action.select($0, in: vault) }
    guard try action.mayRemove(selections) else {
        try action.report.answer(["removed": [String]()]) { "nothing was removed" }
        return .refused
    }
    var known: Set<VaultEntryID> = []
    let entries = selections.flatMap(\.entries).filter { known.insert($0.id).inserted }
    try vault.remove(entries)
    return try action.report.answer(["removed": entries.map(\.name.description)]) { "removed \(entries.count)" }
}

extension Action {
    /// Whether folders may go with everything in them.
    fileprivate func mayRemove(_ selections: [VaultSelection]) throws -> Bool {
        let folders = selections.filter { if case .folder = $0 { true } else { false } }
        guard !folders.isEmpty, !invocation.flag("recursive") else { return true }
        let names = folders.map(\.name.description).joined(separator: ", ")
        let question = "Remove \(names) for good: \(EntrySum(folders.flatMap(\.entries)))?"
        guard let isAgreed = try answer(to: question) else {
            throw wrong("NAME", "an entry: a folder is removed with --recursive, or at a terminal, which asks")
        }
        return isAgreed
    }

    /// `nil` where nobody can be asked.
    private func answer(to question: String) throws(PromptError) -> Bool? {
        do throws(PromptError) {
            return try Prompt().confirm(question, option: "--recursive")
        } catch .noTerminal {
            return nil
        }
    }
}
