import MildamIdentity
import MildamMessenger
import MildamTerminal

/// Tells how it went: a line for people, or an object for programs.
struct Report {
    let console: Console
    let isJSON: Bool

    /// Prints an answer.
    ///
    /// - Returns: `.done`, the status of a command that ends with it.
    @discardableResult
    func answer(_ value: some Encodable, _ text: () -> String) throws -> ExitStatus {
        try console.print(isJSON ? try JSONLine.text(of: value) : text())
        return .done
    }

    /// Tells people something on standard error; a program finds it in the answer.
    func note(_ text: String) {
        if !isJSON { console.complain(shown("mildam: \(text)")) }
    }

    /// Tells people why an answer that was given is not all, and ends with the status of that.
    func ended(with trouble: MessengerError?) -> ExitStatus? {
        guard let trouble else { return nil }
        note(Report.text(of: trouble))
        return trouble.exitStatus
    }

    /// Prints why it failed.
    ///
    /// - Returns: the status to end with.
    func failure(_ error: any Error) -> ExitStatus {
        let status = ExitStatus(error)
        console.tell(ofFailure: Report.text(of: error), status, asObject: isJSON, of: "mildam")
        return status
    }

    /// What is said of an error: one line, whatever a relay or another member put into it. Only where every word is ours,
    /// or of a kind that holds no line breaks, there are more.
    static func text(of error: any Error) -> String {
        if case ClientLinkError.refused(let refusal) = error { return text(of: ClientFault(error: refusal)) }
        return TerminalText.sanitized("\(error)", keepingNewlines: hasLinesOfOurs(error))
    }

    /// What is said of an error as a code of the client; `nil` where it is none of the client's.
    static func code(of error: any Error) -> String? {
        if case ClientLinkError.refused(let refusal) = error { return ClientFault(error: refusal).code }
        return (error as? ClientFault)?.code
    }

    private static func hasLinesOfOurs(_ error: any Error) -> Bool {
        switch error {
        case is UsageError, is AmbiguousItem, is ClientFault, MessengerError.identity(.identityKeyChanged),
            MessengerError.otherFingerprint:
            true
        default: false
        }
    }
}

/// A name that somebody else chose, safe to print.
func shown(_ text: String) -> String { TerminalText.sanitized(text) }
