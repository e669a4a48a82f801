import MildamSystem

/// A line on standard error that says what is waited for, and is gone when the wait is over.
///
/// Nothing at all is written where standard error is no terminal.
public final class WaitingLine: Sendable {
    private enum State {
        case empty, closed
        /// So many columns are written on.
        case shown(columns: Int)
    }

    private let console: Console
    private let isShown: Bool
    private let state = Lock(State.empty)

    /// A line that is empty.
    public init(_ console: Console) {
        self.console = console
        isShown = console.isTerminal(.errors)
    }

    /// Shows a text where nothing is shown. It may come from elsewhere; it is made safe here.
    public func show(_ text: String) {
        guard isShown else { return }
        let line = DisplayWidth.truncated(TerminalText.sanitized(text), to: console.width(of: .errors) - 1)
        state.withLock { state in
            guard case .empty = state else { return }
            try? console.print(line, terminator: "", to: .errors)
            state = .shown(columns: DisplayWidth.of(line))
        }
    }

    /// Takes the text away.
    public func erase() { leave(as: .empty) }

    /// Takes the text away, and shows none from here on: the terminal is somebody else's.
    public func close() { leave(as: .closed) }

    private func leave(as next: State) {
        state.withLock { state in
            if case .shown(let columns) = state {
                try? console.print(console.erasing(columns), terminator: "", to: .errors)
            }
            if case .closed = state { return }
            state = next
        }
    }
}

extension Console {
    /// What takes away so many columns of the line that the cursor is on, on standard error.
    func erasing(_ columns: Int) -> String {
        understandsEscapes(.errors) ? "\r\u{1B}[K" : "\r\(String(repeating: " ", count: columns))\r"
    }
}
