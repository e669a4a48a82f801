import FoundationEssentials
import Glibc
import MildamKeychain
import MildamTerminal

/// The options of a command that can put a secret into the clipboard.
let clipboardOptions = [
    OptionSpec("copy", help: "Copy it to the clipboard, and show it nowhere."),
    OptionSpec(
        "clear-after",
        value: .init("SECONDS"),
        help: "Clear the clipboard after so many seconds; 45 unless given. Ctrl-C clears it at once."
    ),
]

/// What a command says of `--copy`.
let clipboardNote = """
    With --copy it goes to the clipboard, by wl-copy, xclip or xsel, or by the terminal itself (OSC 52). The command \
    then waits, and clears the clipboard if it is still there; a terminal does not tell, and its clipboard is cleared in \
    any case. wl-copy has it in a file of its own in /tmp meanwhile, and a program that keeps a history of the clipboard \
    keeps it.
    """

/// `--copy`.
extension Action {
    /// Where `--copy` puts a secret; `nil` without it.
    ///
    /// - Throws: `UsageError`, `ClipboardError.noClipboard`: before a counter has counted, or something is kept.
    func clipboard() throws -> Clipboard? {
        guard invocation.flag("copy") else {
            guard invocation.value("clear-after") == nil else { throw wrong("--clear-after", "beside --copy") }
            return nil
        }
        _ = try clearingTime()
        guard let clipboard = Clipboard(allowingTerminal: console.isTerminal() && !report.isJSON) else {
            throw ClipboardError.noClipboard
        }
        return clipboard
    }

    /// Copies a secret, waits, and clears the clipboard if it is still in it.
    ///
    /// - Parameters:
    ///   - what: what to call it: "the code".
    ///   - secondsRemaining: how long it stands, if not for ever.
    func lend(
        _ secret: SecretValue,
        _ what: String,
        standing secondsRemaining: Int? = nil,
        to clipboard: Clipboard
    ) throws {
        let answer = CopyAnswer(clearsAfter: try clearingTime(), secondsRemaining: secondsRemaining)
        let signal = try lend(secret, what, to: clipboard, answer)
        // Ctrl-C was an answer; any other signal goes on to do what it does.
        if let signal, signal != SIGINT { OwnSignal.raise(signal) }
    }

    /// After how many seconds the clipboard is cleared.
    private func clearingTime() throws(UsageError) -> Int { try invocation.integer("clear-after", in: 1...3600) ?? 45 }

    /// - Returns: the signal that ended it early.
    private func lend(
        _ secret: SecretValue,
        _ what: String,
        to clipboard: Clipboard,
        _ answer: CopyAnswer
    ) throws -> Int32? {
        // Before the secret is there, and until it is gone, so that no signal leaves it there.
        let wait = try InterruptibleWait()
        do {
            try clipboard.copy(secret)
            try report.answer(answer) {
                let standing = answer.secondsRemaining.map { ", which stands for \($0) s" } ?? ""
                let end = "the clipboard is cleared in \(answer.clearsAfter) s, or at once with Ctrl-C"
                return "copied \(what)\(standing); \(end)"
            }
        } catch {
            // It may be there all the same, and nobody hears of it.
            _ = try? clear(secret, what, from: clipboard)
            throw error
        }
        let signal = wait.wait(for: .seconds(answer.clearsAfter))
        let outcome = try clear(secret, what, from: clipboard)
        if !report.isJSON { try? console.print(outcome) }
        return signal
    }

    private func clear(_ secret: SecretValue, _ what: String, from clipboard: Clipboard) throws -> String {
        switch clipboard.content(expecting: secret) {
        case .nothing: return "the clipboard no longer holds \(what)"
        case .somethingElse: return "the clipboard holds something else by now, which was left there"
        case .expected, .unknown:
            try clipboard.clear()
            return "cleared the clipboard"
        }
    }

    private struct CopyAnswer: Encodable {
        var copied = true
        var clearsAfter: Int
        var secondsRemaining: Int?
    }
}
