import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

let requestList = ActionCommand(
    ["request", "list"],
    summary: "List what people ask whom this profile does not know.",
    discussion: """
        Whoever shares no room with you, and whom you have not invited, added or accepted, can only ask. Nothing of what they \
        sent is opened, and the relay is asked nothing but what they are called, before you say so; nor do they hear what \
        becomes of it. Each can ask for so much at a time; of more, what is oldest gives way.
        """,
    options: [OptionSpec("offline", help: "Do not ask the relay for new ones.")],
    examples: [.init("mildam request list", "Number, whom it claims to be from, when, how large; and who is blocked.")]
) { action in
    let link = try await action.client()
    let ask = ClientAsk.requests(isFetching: !action.invocation.flag("offline"))
    guard case .requests(let requests, let blocked) = try await action.answer(to: ask, from: link) else {
        throw ClientLinkError.misunderstood(.unknown)
    }
    return try action.report.answer(RequestListAnswer(requests: requests, blocked: blocked.map(\.handle))) {
        var lines = requests.map { request in
            // Never cut: the mark is what counts.
            let claim = "\(request.claimed?.text ?? "somebody") (unverified)"
            let column = DisplayWidth.of(claim) > claimColumns ? claim : DisplayWidth.padded(claim, to: claimColumns)
            return "\(request.number)  \(column)  \(LocalTime(request.received).text)  "
                + ByteCount.text(Int64(request.size))
        }
        if requests.isEmpty { lines = ["no requests"] }
        let names = blocked.flatMap { blocked in
            (blocked.hasPinned ? ["\(blocked.handle)"] : [])
                + (blocked.claims > 0 ? ["\(blocked.handle) (unverified)"] : [])
        }
        if !names.isEmpty { lines.append("blocked: " + names.joined(separator: ", ")) }
        return lines.joined(separator: "\n")
    }
}

private let claimColumns = 32

private struct RequestListAnswer: Encodable {
    var requests: [WaitingRequest]
    var blocked: [Handle]
}
