import MildamClientAPI
import MildamMessenger
import MildamTerminal

let accountRenewKeys = ActionCommand(
    ["account", "renew-keys"],
    summary: "Give this device new keys, in its rooms, too.",
    discussion:
        "For when somebody may have a copy of this profile, or of a backup, and of what opens it. The relay, and "
        + "everybody in the rooms, take nothing from the old keys any more. The account, its fingerprint and its rooms "
        + "stay; nobody is asked anything. What was said before can still be read by whoever has a copy. A renewal that "
        + "was interrupted is finished by the same command. A room that cannot have the new keys at once gets them from the "
        + "profile's client as soon as it can.",
    examples: [.init("mildam account renew-keys", "Says in how many rooms.")],
    exitNotes: [
        .init(.failed, "the keys are new, and a room does not have them yet: it says which, and why"),
        .init(.refused, "the account's list of devices was changed by somebody else"),
    ]
) { action in
    let messenger = try await action.messenger()
    var renewal = try await messenger.renewKeys()
    var isKnown = true
    do {
        if try await messenger.hasGroupRooms() { try await action.addRooms(to: &renewal) }
    } catch {
        isKnown = false
        action.console.complain(
            "mildam: the keys are new; which rooms have them, the client does not say: \(Report.text(of: error))"
        )
    }
    let answer = renewal
    try action.report.answer(answer) { text(answer) }
    return answer.held.isEmpty && isKnown ? .done : .failed
}

private func text(_ renewal: KeyRenewal) -> String {
    let first =
        renewal.isResumed
        ? "finished the renewal that had been interrupted: this device has new keys"
        : "this device has new keys"
    let rooms = renewal.rooms.count == 1 ? "1 room has them" : "\(renewal.rooms.count) rooms have them"
    let held = renewal.held.map { "  \(shown($0.room)) does not have them yet: \(shown($0.reason))" }
    return (["\(first) (device list \(renewal.list)), and \(rooms); the fingerprint stays"] + held)
        .joined(separator: "\n")
}

extension Action {
    /// How many seconds the rooms have, until those are told that wait.
    private static let patience = 30

    /// Asks the profile's client which of its rooms have the new keys.
    fileprivate func addRooms(to renewal: inout KeyRenewal) async throws {
        let link = try await client()
        guard case .keys(let rooms) = try await link.ask(.keysOfRooms(seconds: Action.patience)) else {
            throw ClientLinkError.misunderstood(.unknown)
        }
        for room in rooms {
            let name = room.name ?? "\(room.room)"
            if room.arePresent {
                renewal.rooms.append(name)
            } else {
                let cause = room.code.map { RoomCauseWords.sentence(for: $0, number: room.number) }
                renewal.held.append(.init(room: name, reason: cause ?? "it waits, and gets it as soon as it can"))
            }
        }
    }
}
