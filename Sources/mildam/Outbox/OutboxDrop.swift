import MildamClientAPI
import MildamMessenger
import MildamTerminal

let outboxDrop = ActionCommand(
    ["outbox", "drop"],
    summary: "Drop something that waits, or could not be sent.",
    discussion: "What is under way can no longer be dropped: the relay may have it.",
    operands: [
        Operand("MESSAGE", help: "Its id, or the beginning of it, as `mildam outbox list` shows it.")
    ],
    examples: [.init("mildam outbox drop k7f3qz2a", "It is not sent any more.")],
    exitNotes: [
        .init(.notFound, "nothing waits under this id: it may be sent by now"),
        .init(.refused, "it is under way, or several ids begin so"),
    ]
) { action in
    let (wanted, link) = (action.invocation.operand("MESSAGE").lowercased(), try await action.accountClient())
    guard !wanted.isEmpty else { throw action.wrong("MESSAGE", "an id that `mildam outbox list` shows") }
    guard wanted.utf8.count <= LineLimits.code else { throw DropRefusal.nothing(wanted) }
    let found = try await action.unsent(over: link, beginning: wanted).waiting
    guard let message = found.first, let key = message.item.key else { throw DropRefusal.nothing(wanted) }
    guard found.count == 1 else { throw DropRefusal.several(wanted) }
    do throws(ClientLinkError) {
        _ = try await link.ask(.drop(room: message.room, message: key))
    } catch {
        guard case .refused(let refusal) = error else { throw error }
        switch refusal.code {
        case .notWaiting: throw DropRefusal.nothing(wanted)
        case .underWay: throw DropRefusal.underWay
        default: throw error
        }
    }
    return try action.report.answer(["dropped": "\(key)"]) { "dropped" }
}

/// Why something is not dropped.
private enum DropRefusal: EndsWithStatus, CustomStringConvertible {
    case nothing(String)
    case several(String)
    case underWay

    var exitStatus: ExitStatus {
        switch self {
        case .nothing: .notFound
        case .several, .underWay: .refused
        }
    }

    var description: String {
        switch self {
        case .nothing(let id): "nothing waits under \(id): see `mildam outbox list`; it may be sent by now"
        case .several(let id): "several ids begin with \(id): type more of it, see `mildam outbox list`"
        case .underWay: "it is under way: the relay may have it, so that it can no longer be dropped"
        }
    }
}
