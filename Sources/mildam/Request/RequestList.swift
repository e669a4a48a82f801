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
    examples: [.init("mildam request list", "Number, whom it claims to be from, when, how large; and who is blocked.")],
    exitNotes: [.init(.unreachable, "what is here is listed; what is new could not be had")]
) { action in
    let link = try await action.client()
    let (list, fault) = try await action.requests(from: link)
    guard case .requests(let requests, let blocked) = list else { throw ClientLinkError.misunderstood(.unknown) }
    let answer = RequestListAnswer(
        requests: requests,
        blocked: blocked.map(\.handle),
        trouble: fault?.description,
        code: fault?.code
    )
    try action.report.answer(answer) {
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
    guard let fault else { return .done }
    action.report.note("this is what is here: \(fault)")
    return fault.exitStatus
}

extension Action {
    /// The requests, with what is new where it can be had; otherwise as they are here, and why.
    fileprivate func requests(from link: ClientLink) async throws -> (ClientAnswer, ClientFault?) {
        var fault: ClientFault?
        if !invocation.flag("offline") {
            do {
                return (try await answer(to: .requests(isFetching: true), from: link), nil)
            } catch let failure as ClientFault {
                fault = failure
            }
        }
        return (try await answer(to: .requests(isFetching: false), from: link), fault)
    }
}

private let claimColumns = 32

private struct RequestListAnswer: Encodable {
    var requests: [WaitingRequest]
    var blocked: [Handle]
    /// What could not be done; left out where all was.
    var trouble: String?
    /// The same as a code of the client.
    var code: String?
}
