import FoundationEssentials
import Glibc
import MildamKeychain
import MildamOTP
import MildamTerminal

/// `mildam otp code --copy`.
extension Action {
    /// Where `--copy` puts the code; `nil` without it.
    ///
    /// - Throws: `ClipboardError.noClipboard`, before a counter has counted.
    func clipboard() throws -> Clipboard? {
        guard invocation.flag("copy") else {
            guard invocation.value("clear-after") == nil else { throw wrong("--clear-after", "beside --copy") }
            return nil
        }
        guard let clipboard = Clipboard(allowingTerminal: console.isTerminal() && !report.isJSON) else {
            throw ClipboardError.noClipboard
        }
        return clipboard
    }

    /// Copies a code, waits, and clears the clipboard if the code is still in it.
    func copy(_ token: OneTimePassword, at time: UInt64, to clipboard: Clipboard) throws {
        let seconds = try invocation.integer("clear-after", in: 1...3600) ?? 45
        let answer = CopyAnswer(clearsAfter: seconds, secondsRemaining: token.secondsRemaining(at: time))
        let signal = try lend(SecretValue(text: token.code(at: time)), to: clipboard, answer)
        // Ctrl-C was an answer; any other signal goes on to do what it does.
        if let signal, signal != SIGINT { OwnSignal.raise(signal) }
    }

    /// - Returns: the signal that ended it early.
    private func lend(_ code: SecretValue, to clipboard: Clipboard, _ answer: CopyAnswer) throws -> Int32? {
        // Before the code is there, and until it is gone, so that no signal leaves it there.
        let wait = try InterruptibleWait()
        do {
            try clipboard.copy(code)
            try report.answer(answer) {
                let standing = answer.secondsRemaining.map { ", which stands for \($0) s" } ?? ""
                let end = "the clipboard is cleared in \(answer.clearsAfter) s, or at once with Ctrl-C"
                return "copied the code\(standing); \(end)"
            }
        } catch {
            // It may be there all the same, and nobody hears of it.
            _ = try? clear(code, from: clipboard)
            throw error
        }
        let signal = wait.wait(for: .seconds(answer.clearsAfter))
        let outcome = try clear(code, from: clipboard)
        if !report.isJSON { try? console.print(outcome) }
        return signal
    }

    private func clear(_ code: SecretValue, from clipboard: Clipboard) throws -> String {
        switch clipboard.content(expecting: code) {
        case .nothing: return "the clipboard no longer holds the code"
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
