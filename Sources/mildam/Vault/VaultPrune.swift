import MildamSystem
import MildamTerminal
import MildamVault

let vaultPrune = ActionCommand(
    ["vault", "prune"],
    summary: "Remove former versions, for good.",
    discussion: """
        What is present stays. Of every entry, or of those that are named, former versions go: with --keep all but the \
        newest N, with --older-than those that were replaced longer ago, with both options those of which both is true.
        """,
    operands: [
        Operand(
            "NAME",
            help: "Only of these entries and folders.",
            arity: .any,
            completion: KnownNames.vault.completion
        )
    ],
    options: [
        OptionSpec("keep", value: .init("N"), help: "Keep the newest N of each entry; 0 for none."),
        OptionSpec("older-than", value: .init("DAYS"), help: "Only those that were replaced longer ago than this."),
        vaultOption,
    ],
    examples: [
        .init("mildam vault prune --keep 1", "Of every entry the newest former version stays."),
        .init("mildam vault prune photos --older-than 365", "What was replaced more than a year ago."),
    ],
    exitNotes: [.init(.notFound, "nothing is called so; nothing was removed")]
) { action in
    let keep = try action.invocation.integer("keep", in: 0...1_000_000)
    let days = try action.invocation.integer("older-than", in: Int64(0)...1_000_000)
    guard keep != nil || days != nil else { throw action.misuse(.missingOption("--keep", placeholder: "N")) }
    let vault = try await action.openVault(changing: true)
    let names = action.invocation.operands("NAME")
    let entries = try names.isEmpty ? vault.entries() : names.flatMap { try action.select($0, in: vault).entries }
    let removed = try vault.prune(
        entries,
        keeping: keep ?? 0,
        replacedBefore: days.map { WallClock.system.milliseconds - $0 * 86_400_000 } ?? .max
    )
    return try action.report.answer(["removed": removed]) {
        removed == 1 ? "removed 1 former version" : "removed \(removed) former versions"
    }
}
