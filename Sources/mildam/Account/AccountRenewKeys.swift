import MildamTerminal

let accountRenewKeys = ActionCommand(
    ["account", "renew-keys"],
    summary: "Give this device new keys, and its rooms a key that the old ones do not open.",
    discussion:
        "For when somebody may have a copy of this profile, or of a backup, and of what opens it. The relay, and "
        + "everybody in the rooms, take nothing from the old keys any more. The account, its fingerprint and its rooms "
        + "stay; nobody is asked anything. What was said before can still be read by whoever has a copy. A renewal that "
        + "was interrupted is finished by the same command.",
    examples: [.init("mildam account renew-keys", "Says in how many rooms.")],
    exitNotes: [
        .init(.failed, "the keys are new, and a room has no new key: it says which, and why"),
        .init(.refused, "the account's list of devices was changed by somebody else"),
    ]
) { action in
    let renewal = try await action.messenger().renewKeys()
    try action.report.answer(renewal) {
        let first =
            renewal.isResumed
            ? "finished the renewal that had been interrupted: this device has new keys"
            : "this device has new keys"
        let rooms = renewal.rooms.count == 1 ? "1 room has" : "\(renewal.rooms.count) rooms have"
        let held = renewal.held.map { "  \(shown($0.room)) has none: \(shown($0.reason))" }
        return (["\(first) (device list \(renewal.list)), and \(rooms) a new key; the fingerprint stays"] + held)
            .joined(separator: "\n")
    }
    return renewal.held.isEmpty ? .done : .failed
}
