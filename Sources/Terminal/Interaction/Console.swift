import Glibc
import MildamSystem

/// Where a program speaks: standard output for what was asked for, standard error for everything else.
public struct Console: Sendable {
    /// One of the two.
    public enum Stream: Sendable {
        /// What was asked for.
        case output
        /// Messages, questions and progress.
        case errors
    }

    private let output: Int32
    private let errors: Int32
    private let environment: @Sendable (String) -> String?

    /// The process's own streams and environment, unless others are given.
    public init(
        output: Int32 = STDOUT_FILENO,
        errors: Int32 = STDERR_FILENO,
        environment: @escaping @Sendable (String) -> String? = Console.variable
    ) {
        self.output = output
        self.errors = errors
        self.environment = environment
    }

    /// Writes all of `text` and what ends it.
    ///
    /// The text is written as it is: what comes from elsewhere goes through `TerminalText.sanitized` first.
    ///
    /// - Throws: `SystemError`; when its `isReaderGone`, nobody reads any more and the program may end without a word.
    public func print(_ text: String, terminator: String = "\n", to stream: Stream = .output) throws(SystemError) {
        try write(Array((text + terminator).utf8).span, to: stream)
    }

    /// Writes a line to standard error. Fails silently: there is nowhere left to complain.
    public func complain(_ text: String) {
        try? print(text, to: .errors)
    }

    /// Writes every byte, however few the stream takes at a time.
    public func write(_ bytes: Span<UInt8>, to stream: Stream = .output) throws(SystemError) {
        let descriptor = number(of: stream)
        let code: Int32 = unsafe bytes.withUnsafeBytes { buffer in
            var rest = unsafe buffer[...]
            while unsafe !rest.isEmpty {
                let piece = unsafe UnsafeRawBufferPointer(rebasing: rest)
                let written = unsafe Glibc.write(descriptor, piece.baseAddress, piece.count)
                if written >= 0 {
                    unsafe rest = rest.dropFirst(written)
                } else if errno == EAGAIN {
                    // Whoever shares the stream made it non-blocking.
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&wanted, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard code == 0 else { throw SystemError("write to", stream.name, code: code) }
    }

    /// Whether a terminal shows the stream.
    public func isTerminal(_ stream: Stream = .output) -> Bool {
        isatty(number(of: stream)) == 1
    }

    /// The columns of the terminal: what it says, else `COLUMNS`, else 80.
    public func width(of stream: Stream = .output) -> Int {
        var size = winsize()
        if unsafe ioctl(number(of: stream), UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        if let columns = environment("COLUMNS").flatMap({ Int($0) }), (1...10_000).contains(columns) { return columns }
        return 80
    }

    /// The emphasis that fits the stream.
    public func style(for stream: Stream = .output) -> Style {
        Style(onTerminal: isTerminal(stream), environment: environment)
    }

    /// Whether a terminal shows the stream, and understands escape sequences.
    public func understandsEscapes(_ stream: Stream = .output) -> Bool {
        isTerminal(stream) && environment("TERM").map { $0 != "dumb" } ?? false
    }

    private func number(of stream: Stream) -> Int32 {
        switch stream {
        case .output: output
        case .errors: errors
        }
    }

    /// The value of an environment variable; `nil` when it is not set, or empty, which to people is the same.
    public static func variable(_ name: String) -> String? {
        let value = unsafe getenv(name).map { unsafe String(cString: $0) }
        return value?.isEmpty == true ? nil : value
    }

    /// Lets a write to a pipe or socket without a reader fail with an error, instead of ending the process.
    public static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}

extension Console.Stream {
    fileprivate var name: String {
        switch self {
        case .output: "standard output"
        case .errors: "standard error"
        }
    }
}

extension SystemError {
    /// Whether the reader of a pipe has gone, as `head` does when it has seen enough.
    public var isReaderGone: Bool { code == EPIPE }
}
