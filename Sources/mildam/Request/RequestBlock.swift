import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

let requestBlock = ActionCommand(
    ["request", "block"],
    summary: "Hear nothing more from an account.",
    discussion:
        "Its requests are dropped, those that come later as well. It is told nothing. The relay is told that you block it, "
        + "once it can be reached, and stores no more of what it sends you. Rooms that you share with it stay as they are: "
        + "leave them, or put it out.",
    operands: [
        Operand(
            "REQUEST",
            help: "The request's number or room, or the handle of who asks or of a contact.",
            completion: KnownNames.request.completion
        )
    ],
    options: [OptionSpec("undo", help: "Let the account of this handle write again.")],
    examples: [
        .init("mildam request block mallory", "`mildam request list` names who is blocked."),
        .init("mildam request block mallory --undo", "She can ask again."),
    ]
) { action in
    let link = try await action.client()
    guard action.invocation.flag("undo") else {
        let blocked = try await action.blocked(by: .block(named: action.request), over: link)
        let answer = BlockAnswer(blocked: blocked.handle, unverified: blocked.claims)
        return try action.report.answer(answer) { "blocked \(blocked.words)" }
    }
    guard let handle = try? Handle(action.request) else {
        throw action.wrong("REQUEST", "the handle of who is blocked")
    }
    let freed = try await action.blocked(by: .unblock(handle: handle), over: link)
    return try action.report.answer(["unblocked": handle]) { "\(freed.words) can ask again" }
}

extension Action {
    fileprivate func blocked(by ask: ClientAsk, over link: ClientLink) async throws -> BlockedRow {
        guard case .blocked(let row) = try await answer(to: ask, from: link) else {
            throw ClientLinkError.misunderstood(.unknown)
        }
        tell(row.refused)
        return row
    }
}

private struct BlockAnswer: Encodable {
    var blocked: Handle
    /// How many accounts were blocked that this profile has not pinned under the handle.
    var unverified: Int
}

extension BlockedRow {
    /// Who is meant.
    fileprivate var words: String {
        let others =
            switch claims {
            case 0: ""
            case 1: "an account that calls itself \(handle)"
            default: "\(claims) accounts that call themselves \(handle)"
            }
        guard hasPinned else { return others }
        return others.isEmpty ? handle.text : "\(handle) and \(others)"
    }
}
