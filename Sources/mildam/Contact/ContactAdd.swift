import MildamClientAPI
import MildamIdentity
import MildamTerminal

let contactAdd = ActionCommand(
    ["contact", "add"],
    summary: "Meet somebody, so that their invitations are no requests.",
    discussion:
        "By their handle, or by a link that they made for you with `mildam invite-link`. With a link, the account and the "
        + "key that the relay shows have to be those in it, and you can invite them once without asking first. A link is "
        + "as good as the way it came. To compare the fingerprint that is shown with the one that they see in "
        + "`mildam account show`, over another channel, is still the stronger: `mildam contact accept` says that you did. "
        + "The relay is told that you know the account, so that what it sends has a place in your mailbox.",
    operands: [Operand("HANDLE", help: "Whom; not with a link.", arity: .optional)],
    options: SecretOption.link.options,
    examples: [
        .init("mildam contact add alice", "Before she invites you."),
        .init("mildam contact add --link-file -", "Reads the link that she gave you."),
    ],
    exitNotes: [
        .init(.damaged, "the link is not whole, or the relay shows another account or key than it"),
        .init(.refused, "the relay shows another key for the account than before, or the link is not for this relay"),
    ]
) { action in
    let isNamed = action.invocation.optionalOperand("HANDLE") != nil
    guard isNamed != action.isGiven(.link) else {
        throw action.wrong("HANDLE", "a handle, or --link-file")
    }
    let ask: ClientAsk =
        if let link = try action.link() {
            .addContactByLink(link: link.text)
        } else {
            .addContact(handle: try action.handle())
        }
    let contact = try await action.contact(by: ask)
    return try action.report.answer(contact) { "met \(contact.handle)\nfingerprint  \(contact.fingerprint)" }
}

extension Action {
    /// The link that a file holds, if one is named.
    fileprivate func link() throws -> InviteLink? {
        guard isGiven(.link) else { return nil }
        guard let link = try? InviteLink(text: try text(.link, "Link")) else { throw BrokenLink() }
        return link
    }
}

/// What was given is no link.
struct BrokenLink: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.damaged
    var description: String { "this is no link, or not all of it: ask for the whole line, which begins with mildam:" }
}
