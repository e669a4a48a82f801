import Glibc
import MildamSystem

/// Questions to the person at the terminal, wherever the program's own input and output lead.
public struct Prompt: Sendable {
    /// The longest password in bytes. A terminal takes one less, with the line's end.
    public static let longestSecret = 4096

    private let device: String

    /// Asks on the process's controlling terminal, unless another device is named.
    public init(device: String = "/dev/tty") {
        self.device = device
    }

    /// Asks for a password; what is typed does not show.
    ///
    /// The terminal gets its echo back in every case, also when a signal ends or stops the program meanwhile; after a
    /// stop the question is asked anew. The bytes are overwritten after `body` has had them.
    ///
    /// - Parameters:
    ///   - what: what is asked for, for the error where there is no terminal.
    ///   - option: what to write on the command line instead, for the same.
    ///   - body: gets the bytes without the line's end; copies what it wants to keep into memory that is wiped.
    public func password<Result: ~Copyable>(
        _ question: String,
        for what: String? = nil,
        option: String,
        _ body: (Span<UInt8>) -> Result
    ) throws(PromptError) -> Result {
        let terminal = try open(for: what, option: option)
        var secret = WipedBuffer(capacity: Self.longestSecret + 1)
        while true {
            secret.clear()
            switch try Self.oneAtATime.withLock({ _ throws(PromptError) in
                try Self.readWithoutEcho(question, from: terminal.number, device, into: &secret)
            }) {
            case .answered:
                return secret.withBytes(body)
            case .interrupted(let signal):
                secret.clear()
                // The terminal and the handlers are as before: let the signal do what it does.
                OwnSignal.raise(signal)
                guard [SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) else { throw .interrupted }
            }
        }
    }

    /// Asks a question that only "y" or "yes" agrees to.
    ///
    /// - Parameter option: what to write on the command line instead, for the error where there is no terminal.
    public func confirm(_ question: String, option: String) throws(PromptError) -> Bool {
        let word = try line("\(question) [y/N] ", option: option).lowercased()
        return word == "y" || word == "yes"
    }

    /// Asks for a line of text, which shows as it is typed: nothing secret.
    ///
    /// - Parameter option: what to write on the command line instead, for the error where there is no terminal.
    /// - Returns: the line without its end; another character stands where it is no UTF-8.
    public func line(_ question: String, option: String) throws(PromptError) -> String {
        let terminal = try open(option: option)
        try Self.say(TerminalText.sanitized(question), on: terminal.number, device)
        var answer = WipedBuffer(capacity: Self.longestSecret)
        while !answer.endsLine {
            let got = answer.read(from: terminal.number, limit: answer.room)
            if got == 0 {
                // What is said next begins a line of its own.
                try Self.say("\n", on: terminal.number, device)
                throw .ended
            }
            if got < 0, errno != EINTR { throw .system(.last("read", device)) }
        }
        answer.dropLast()
        return answer.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private enum Outcome {
        case answered
        case interrupted(Int32)
    }

    /// Signal handlers and the terminal's echo belong to the process: two questions at once would undo each other.
    private static let oneAtATime = Lock(())

    private func open(for what: String? = nil, option: String) throws(PromptError) -> Descriptor {
        let terminal: Descriptor
        do {
            terminal = try Descriptor.open(device, O_RDWR | O_NOCTTY)
        } catch {
            switch error.code {
            case ENXIO, ENOENT, ENODEV, EACCES, EPERM, EIO: throw .noTerminal(for: what, option: option)
            default: throw .system(error)
            }
        }
        guard isatty(terminal.number) == 1 else { throw .noTerminal(for: what, option: option) }
        return terminal
    }

    private static func readWithoutEcho(
        _ question: String,
        from terminal: Int32,
        _ device: String,
        into secret: inout WipedBuffer
    ) throws(PromptError) -> Outcome {
        let signals: SignalCatcher
        do { signals = try SignalCatcher() } catch { throw .system(error) }

        var usual = termios()
        guard unsafe tcgetattr(terminal, &usual) == 0 else { throw .system(.last("look at", device)) }
        var silent = usual
        silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        // TCSAFLUSH throws away what was typed before the question could be read.
        while unsafe tcsetattr(terminal, TCSAFLUSH, &silent) != 0 {
            if let signal = signals.next() { return .interrupted(signal) }
            guard errno == EINTR else { throw .system(.last("silence", device)) }
        }
        defer {
            // In the background this interrupts itself with SIGTTOU each time, so not for ever.
            for _ in 0..<8 where unsafe tcsetattr(terminal, TCSAFLUSH, &usual) == 0 || errno != EINTR { break }
            // The newline that was typed did not show.
            unsafe write(terminal, "\n", 1)
        }
        try say(TerminalText.sanitized(question), on: terminal, device)
        return try readLine(from: terminal, device, signals, into: &secret)
    }

    private static func readLine(
        from terminal: Int32,
        _ device: String,
        _ signals: borrowing SignalCatcher,
        into secret: inout WipedBuffer
    ) throws(PromptError) -> Outcome {
        while true {
            var wanted = [
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.incoming, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&wanted, 2, -1)
            if let signal = signals.next() { return .interrupted(signal) }
            if ready < 0 {
                guard errno == EINTR else { throw .system(.last("wait for", device)) }
                continue
            }
            let got = secret.read(from: terminal, limit: secret.room)
            if got < 0 {
                if errno == EINTR { continue }
                throw .system(.last("read", device))
            }
            if secret.endsLine {
                secret.dropLast()
                return .answered
            }
            if secret.room == 0 { throw .tooLong }
            if got == 0 { throw .ended }
        }
    }

    private static func say(_ text: String, on terminal: Int32, _ device: String) throws(PromptError) {
        do {
            try Console(output: terminal).print(text, terminator: "")
        } catch {
            throw .system(SystemError("write", device, code: error.code))
        }
    }
}
