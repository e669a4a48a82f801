import Glibc
import MildamSystem

/// A terminal on which a person types lines while others are printed above: the typed line stays whole.
public final class LineTerminal: Sendable {
    /// What became of a line that the person wants sent.
    public enum Answer: Sendable {
        /// It is taken; these lines say something about it.
        case taken([String] = [])
        /// It is taken, and it was the last.
        case last
    }

    /// Why the person types no more.
    public enum End: Equatable, Sendable {
        /// The person wants to go, or ``LineTerminal/finish(saying:)`` was called.
        case finished
        /// The terminal is gone.
        case gone
        /// A signal that ends programs; it does what it does once it is raised again.
        case signal(Int32)
    }

    private enum Outcome {
        case ended(End)
        case stopped(Int32)
    }

    private struct Waiting {
        var lines: [String] = []
        /// Why it is over.
        var reason: String?
    }

    private let input: Int32
    private let console: Console
    private let leftBehind: String
    private let waiting = Lock(Waiting())
    private let doorbell: (incoming: Int32, outgoing: Int32)

    /// The wait for the rest of an escape sequence, in milliseconds, before ESC was a key by itself.
    private static let patience: Int32 = 100

    /// How long after a key the person counts as typing, be the line empty.
    private static let typingLasts = Duration.seconds(1)

    /// How long after a person's last key a signal that ends the program is put off.
    private static let pauseLasts = Duration.seconds(2)

    /// How long that is put off at most.
    private static let partingLasts = Duration.seconds(5)

    /// The process's own terminal, unless others are given.
    ///
    /// - Parameter leftBehind: what a line that was not finished is said to be when it ends: "not sent".
    /// - Throws: when there are no descriptors left.
    public init(
        input: Int32 = STDIN_FILENO,
        console: Console,
        leftBehind: String = "not sent"
    ) throws(SystemError) {
        self.input = input
        self.console = console
        self.leftBehind = leftBehind
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("make a pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        doorbell = (ends[0], ends[1])
    }

    deinit {
        close(doorbell.incoming)
        close(doorbell.outgoing)
    }

    /// Prints lines above the one that is typed. From any thread; they are written by the one that runs.
    public func show(_ lines: [String]) {
        waiting.withLock { $0.lines += lines }
        ring()
    }

    /// Takes the lines that nobody has printed: those that came after the end.
    public func takeLines() -> [String] { takeWaiting().lines }

    /// Ends it. From any thread. Somebody who is typing is told why, and what they type is taken until they press Enter:
    /// it must not go to whoever reads the terminal next.
    public func finish(saying reason: String) {
        waiting.withLock { $0.reason = reason }
        ring()
    }

    /// Throws away what was typed and is not read: whoever reads the terminal next was not meant.
    public func discardTyped() {
        // In the background the terminal is another's, and what is typed is for them.
        guard tcgetpgrp(input) == getpgrp() else { return }
        _ = tcflush(input, TCIFLUSH)
    }

    private func ring() {
        var byte: UInt8 = 0
        // Full is as good: it rings already.
        _ = unsafe write(doorbell.outgoing, &byte, 1)
    }

    /// Lets the person type until they go. Blocks the calling thread; one at a time in a process.
    ///
    /// The terminal is as it was before when this returns or throws, and while the program is stopped.
    ///
    /// - Parameters:
    ///   - prompt: what stands before the line.
    ///   - limit: the longest line in bytes.
    ///   - beginning: lines that are printed first, a part at a time: keys and signals count meanwhile, and what is not printed when
    ///     it ends is left out.
    ///   - submit: called for each line that the person wants sent.
    public func run(
        prompt: String,
        limit: Int,
        beginning: [String] = [],
        submit: (String) -> Answer
    ) throws(SystemError) -> End {
        var typing = Typing(
            editor: LineEditor(limit: limit),
            row: PromptRow(prompt: prompt, style: console.style()),
            decoder: KeyDecoder(),
            beginning: beginning[...]
        )
        while true {
            switch try sitting(&typing, submit) {
            case .ended(let end): return end
            // The terminal and the handlers are as before.
            case .stopped(let signal): OwnSignal.raise(signal)
            }
        }
    }

    private struct Typing {
        var editor: LineEditor
        var row: PromptRow
        var decoder: KeyDecoder
        /// What is still to be printed before anything else.
        var beginning: ArraySlice<String>
        /// When the last key was pressed.
        var lastKey: ContinuousClock.Instant?
        /// Whether it is over, and only the end of what is being typed is waited for.
        var isLeaving = false
        /// The signal that ends it, and waits for the person to pause; `nil` where none came.
        var parting: Parting?

        /// The end by that signal.
        var signalled: End? { parting.map { End.signal($0.signal) } }

        /// The next part of what is printed first: a few thousand bytes, as far as lines are no longer.
        mutating func takePart() -> [String] {
            var (part, size) = ([String](), 0)
            while size < 4096, let line = beginning.popFirst() {
                part.append(line)
                size += line.utf8.count
            }
            return part
        }

        /// Whether the person is in the middle of a line.
        var isUnderWay: Bool {
            !editor.line.text.isEmpty || lastKey.map { ContinuousClock.now - $0 < LineTerminal.typingLasts } ?? false
        }
    }

    /// A signal that ends the program, and came while the person was typing: what they go on typing must not go to whoever
    /// reads the terminal next. It is put off until they press Enter, pause, or too long has passed.
    private struct Parting {
        let signal: Int32
        private let latest = ContinuousClock.now + LineTerminal.partingLasts
        private var end = ContinuousClock.now + LineTerminal.pauseLasts

        init(_ signal: Int32) {
            self.signal = signal
        }

        mutating func keyPressed() { end = min(ContinuousClock.now + LineTerminal.pauseLasts, latest) }

        var isOver: Bool { ContinuousClock.now >= end }

        /// How long it lasts still, in milliseconds.
        var left: Int32 { Int32(max(end - ContinuousClock.now, .zero) / .milliseconds(1)) + 1 }
    }

    /// From taking the terminal over to giving it back.
    private func sitting(_ typing: inout Typing, _ submit: (String) -> Answer) throws(SystemError) -> Outcome {
        // The handlers are there before the terminal is changed, and go after it is as before.
        let signals = try SignalCatcher(and: [SIGWINCH, SIGCONT])
        return try changed(signals, &typing, submit)
    }

    private func changed(
        _ signals: borrowing SignalCatcher,
        _ typing: inout Typing,
        _ submit: (String) -> Answer
    ) throws(SystemError) -> Outcome {
        let mode: RawMode
        do throws(SystemError) {
            mode = try RawMode(input)
        } catch {
            if error.code == EINTR, let signal = signals.next() { return Self.outcome(of: signal) ?? .stopped(signal) }
            throw error
        }
        try console.print(PromptRow.begin, terminator: "")
        defer { try? console.print(PromptRow.erased + PromptRow.end, terminator: "") }
        let outcome = try follow(signals, mode, &typing, submit)
        // What came last is not lost.
        for line in takeWaiting().lines { try? console.print(PromptRow.erased + line) }
        return outcome
    }

    private func follow(
        _ signals: borrowing SignalCatcher,
        _ mode: borrowing RawMode,
        _ typing: inout Typing,
        _ submit: (String) -> Answer
    ) throws(SystemError) -> Outcome {
        try draw(&typing)
        while true {
            var wanted = [
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.incoming, events: Int16(POLLIN), revents: 0),
                pollfd(fd: doorbell.incoming, events: Int16(POLLIN), revents: 0),
            ]
            let isBeginning = !typing.beginning.isEmpty
            let longest = isBeginning ? 0 : typing.decoder.isWaiting ? Self.patience : typing.parting?.left ?? -1
            let ready = unsafe poll(&wanted, 3, longest)
            if ready < 0, errno != EINTR { throw .last("wait for", "the terminal") }
            if ready == 0, !isBeginning { typing.decoder.giveUp() }
            if let parting = typing.parting, parting.isOver { return .ended(.signal(parting.signal)) }
            while let signal = signals.next() {
                if let outcome = Self.outcome(of: signal) {
                    if case .ended = outcome, putOff(signal, &typing) { continue }
                    return outcome
                }
                // The size is asked for at each drawing; whoever continued the program may have changed the mode.
                if signal == SIGCONT {
                    mode.renew()
                    try console.print(PromptRow.begin, terminator: "")
                }
                try draw(&typing)
            }
            // What was typed comes first: it tells whether the person is in the middle of a line.
            if ready > 0, wanted[0].revents != 0, let outcome = try read(&typing, submit) { return outcome }
            guard !isBeginning else {
                try print(typing.takePart(), &typing)
                continue
            }
            if ready > 0, wanted[2].revents != 0, let end = try printWaiting(&typing) { return .ended(end) }
        }
    }

    /// What a signal means for the sitting; `nil` when it goes on.
    private static func outcome(of signal: Int32) -> Outcome? {
        switch signal {
        case SIGWINCH, SIGCONT: nil
        case SIGTSTP, SIGTTIN, SIGTTOU: .stopped(signal)
        default: .ended(.signal(signal))
        }
    }

    private func takeWaiting() -> Waiting {
        waiting.withLock { waiting in
            let taken = waiting
            waiting.lines = []
            return taken
        }
    }

    private func printWaiting(_ typing: inout Typing) throws(SystemError) -> End? {
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe Glibc.read(doorbell.incoming, &bytes, bytes.count) > 0 {}
        let taken = takeWaiting()
        try print(taken.lines, &typing)
        guard let reason = taken.reason, !typing.isLeaving else { return nil }
        guard typing.isUnderWay else { return .finished }
        try leave(saying: reason, &typing)
        return nil
    }

    /// Keeps the terminal until the person has pressed Enter.
    private func leave(saying reason: String, _ typing: inout Typing) throws(SystemError) {
        let (style, text) = (console.style(), typing.editor.line.text)
        let lines = [reason] + (text.isEmpty ? [] : ["\(leftBehind): \(TerminalText.sanitized(text))"])
        typing.isLeaving = true
        typing.editor.accept()
        typing.row = PromptRow(prompt: "Enter ends", style: style)
        try print(lines.map { TerminalText.folded(style.dim($0), to: console.width(), continuing: "") }, &typing)
    }

    /// Puts a signal that ends the program off while the person is typing; another one that comes then does what it does.
    ///
    /// - Returns: whether it is put off.
    private func putOff(_ signal: Int32, _ typing: inout Typing) -> Bool {
        guard typing.parting == nil, typing.isUnderWay || typing.isLeaving else { return false }
        do throws(SystemError) {
            try leave(saying: "ended by a signal (\(signal))", &typing)
        } catch {
            // The terminal is gone.
            return false
        }
        typing.parting = Parting(signal)
        return true
    }

    private func read(_ typing: inout Typing, _ submit: (String) -> Answer) throws(SystemError) -> Outcome? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let got = unsafe Glibc.read(input, &bytes, bytes.count)
        if got < 0, errno == EINTR || errno == EAGAIN { return nil }
        guard got > 0 else { return .ended(typing.signalled ?? .gone) }
        typing.lastKey = .now
        typing.parting?.keyPressed()
        for key in typing.decoder.decode(bytes.prefix(got)) {
            if typing.isLeaving {
                guard [.enter, .interrupt, .endOfInput].contains(key) else { continue }
                return .ended(typing.signalled ?? .finished)
            }
            switch typing.editor.apply(key) {
            case .nothing, .changed: break
            case .ended: return .ended(.finished)
            case .suspended: return .stopped(SIGTSTP)
            case .screenCleared: try console.print(PromptRow.screenCleared, terminator: "")
            case .tooLong: try print([tooLong], &typing)
            case .submitted(let text):
                switch submit(text) {
                case .last: return .ended(.finished)
                case .taken(let lines):
                    typing.editor.accept()
                    try print(lines, &typing)
                }
            }
        }
        try draw(&typing)
        return nil
    }

    private var tooLong: String { console.style().dim("that is too long for one message; send it as a file") }

    private func print(_ lines: [String], _ typing: inout Typing) throws(SystemError) {
        guard !lines.isEmpty else { return }
        let text = typing.row.printing(lines, above: typing.editor.line, columns: console.width())
        try console.print(text, terminator: "")
    }

    private func draw(_ typing: inout Typing) throws(SystemError) {
        try console.print(typing.row.drawn(typing.editor.line, columns: console.width()), terminator: "")
    }
}
