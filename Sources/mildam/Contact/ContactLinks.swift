import MildamMessenger
import MildamTerminal

let contactLinks = ActionCommand(
    ["contact", "links"],
    summary: "List the links that this profile has made.",
    discussion:
        "Those of `mildam invite-link` that have not run out, without their secrets: a link is shown once, when it is made. "
        + "One that was used stays on the list, since the relay does not say by which link an invitation came.",
    examples: [.init("mildam contact links", "Number, and how long it is open; and how many were used.")]
) { action in
    let (links, used) = try await action.messenger().links()
    return try action.report.answer(LinkListAnswer(links: links, used: used)) {
        var lines = links.map { "\($0.number)  until \(LocalTime(seconds: $0.expires).text)" }
        if links.isEmpty { lines = ["no links"] }
        if used > 0 { lines.append("\(used) of them \(used == 1 ? "was" : "were") used; the relay does not say which") }
        return lines.joined(separator: "\n")
    }
}

private struct LinkListAnswer: Encodable {
    var links: [LinkSummary]
    var used: Int
}
