import MildamClientAPI
import MildamTerminal

let accountDelete = ActionCommand(
    ["account", "delete"],
    summary: "Delete the account at the relay.",
    discussion:
        "What it said stays with those who have read it. Nobody can take the handle again. What is in this profile stays "
        + "readable.",
    options: SecretOption.password.options + SecretOption.code.options + [
        OptionSpec(
            "from-rooms",
            help: "Also while it is in rooms: the clients of others take it out once they find it gone."
        ),
        OptionSpec("yes", help: "Do not ask whether it is meant."),
    ],
    examples: [.init("mildam account delete", "Asks whether it is meant, and for the password.")],
    exitNotes: [wrongSecretNote, .init(.refused, "it is still in rooms")]
) { action in
    let rows = try await action.accountClient().allRows()
    let rooms = rows.filter { $0.standing == .member || $0.standing == .beginning }.map(\.label)
    let account = try await action.messenger().accountSummary()
    // Whoever else works with the profile does not wait while somebody types.
    try await action.giveProfileBack()
    guard rooms.isEmpty || action.invocation.flag("from-rooms") else { throw StillInRooms(rooms: rooms) }
    if !action.invocation.flag("yes") {
        let question =
            "Delete the account \(account.handle) at \(account.relayAddress)? Nobody can have the handle again."
        guard try Prompt().confirm(question, option: "--yes") else { throw Declined() }
    }
    let password = try action.password()
    try await action.withCode { messenger, code in try await messenger.deleteAccount(password, code: code) }
    return try action.report.answer(["deleted": account.handle.text]) {
        "the account \(account.handle) is deleted; what is in this profile can still be read"
    }
}

/// An account is not deleted out of rooms that it could leave, unless that is meant.
struct StillInRooms: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let rooms: [String]

    var description: String {
        "nothing was done: you are in \(rooms.joined(separator: ", ")); leave with `mildam room leave`, "
            + "or with --from-rooms have the clients of others take you out"
    }
}

/// A person said no.
struct Declined: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String { "nothing was done" }
}
