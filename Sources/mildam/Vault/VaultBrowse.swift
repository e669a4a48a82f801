import Glibc
import MildamFiles
import MildamSystem
import MildamTerminal
import MildamVault

let vaultBrowse = ActionCommand(
    ["vault", "browse"],
    summary: "Look through the vault at a terminal.",
    discussion: """
        What is in a folder is listed with numbers: a number enters a folder, or shows what an entry is; ".." goes up, \
        "/WORD" finds, and "get NUMBER FILE" takes out a copy, which replaces nothing. "help" says all of it. What is \
        shown is what was there when it began.
        """,
    options: [vaultOption],
    examples: [.init("mildam vault browse", "Needs a terminal; programs use list, search and get.")],
    exitNotes: [.init(.refused, "standard input or output is no terminal")]
) { action in
    guard !action.report.isJSON, isatty(STDIN_FILENO) == 1, action.console.understandsEscapes() else {
        throw PromptError.noTerminal(option: "`mildam vault list`, `search` and `get`")
    }
    let vault = try await action.openVault(changing: false)
    let session = BrowserSession(VaultBrowser(try vault.entries()), action.console)
    var beginning = session.begin()
    let terminal = try LineTerminal(console: action.console, leftBehind: "not done")
    while true {
        // It blocks its thread: one that nobody else waits for.
        let end = try await MainActor.run { [beginning] in
            try terminal.run(
                prompt: "vault",
                limit: BrowserSession.longestLine,
                beginning: beginning,
                submit: session.submit
            )
        }
        beginning = []
        if case .signal(let number) = end { OwnSignal.raise(number) }
        guard let copy = session.takeCopy() else { return .done }
        do { try action.takeOut(copy, of: vault) } catch { action.report.note(Report.text(of: error)) }
    }
}

/// What is typed, and what is answered; shared with the thread that has the terminal.
private final class BrowserSession: Sendable {
    /// The longest line in bytes: a name and the path of a file.
    static let longestLine = 8192

    private struct State {
        var browser: VaultBrowser
        var copy: VaultBrowser.Copy?
    }

    private let console: Console
    private let state: Lock<State>

    init(_ browser: VaultBrowser, _ console: Console) {
        self.console = console
        state = Lock(State(browser: browser))
    }

    /// What is said at the start.
    func begin() -> [String] {
        let greeting = "NUMBER opens, /WORD finds, get NUMBER takes out; help tells more, quit ends."
        return folded(state.withLock { $0.browser.list() }) + [console.style().dim(greeting)]
    }

    func submit(_ line: String) -> LineTerminal.Answer {
        switch state.withLock({ $0.browser.obey(line) }) {
        case .lines(let lines): return .taken(folded(lines))
        case .leave: return .last
        case .take(let copy):
            state.withLock { $0.copy = copy }
            return .last
        }
    }

    /// What is to be taken out, once the terminal is as it was: that may take long, and be broken off.
    func takeCopy() -> VaultBrowser.Copy? {
        state.withLock { state in
            defer { state.copy = nil }
            return state.copy
        }
    }

    private func folded(_ lines: [String]) -> [String] {
        lines.map { TerminalText.folded($0, to: console.width(), continuing: "    ") }
    }
}

extension Action {
    /// Takes out a copy, and says where it is.
    fileprivate func takeOut(_ copy: VaultBrowser.Copy, of vault: Vault) throws {
        switch copy.selection {
        case .entry(let entry):
            let target = FileTarget(copy.path, replacing: false, modified: entry.modified)
            try following("reading \(entry.name)") { try vault.get(entry.name, to: target, monitor: $0) }
            try console.print("wrote \(shown(copy.path))")
        case .folder(let name, let entries):
            var export = PlainExport()
            try following("exporting to \(copy.path)") { monitor in
                try vault.export(entries, to: copy.path, without: name, monitor: monitor) { export.note($0, $1) }
            }
            _ = try export.answer(copy.path, report)
        }
    }
}
