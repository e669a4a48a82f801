import MildamIdentity
import MildamMessenger
import MildamTerminal

let requestList = ActionCommand(
    ["request", "list"],
    summary: "List what people ask whom this profile does not know.",
    discussion: """
        Whoever shares no room with you, and whom you have not invited, added or accepted, can only ask. Nothing of what they \
        sent is opened, and the relay is asked nothing about them, before you say so; nor do they hear what becomes of it. \
        Each can ask for so much at a time; of more, what is oldest gives way.
        """,
    options: [OptionSpec("offline", help: "Do not ask the relay for new ones.")],
    examples: [.init("mildam request list", "Number, whom it claims to be from, when, how large; and who is blocked.")]
) { action in
    let (requests, blocked) = try await action.messenger().requests(fetching: !action.invocation.flag("offline"))
    return try action.report.answer(RequestListAnswer(requests: requests, blocked: blocked.map(\.handle))) {
        var lines = requests.map { request in
            let claim = DisplayWidth.padded("\(request.claimed) (unverified)", to: 32)
            return "\(request.number)  \(claim)  \(LocalTime(request.received).text)  "
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

private struct RequestListAnswer: Encodable {
    var requests: [RequestSummary]
    var blocked: [Handle]
}
