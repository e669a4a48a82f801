import Glibc
import MildamCrypto
import MildamKeychain
import MildamSystem
import MildamTerminal
import MildamWire

/// The clipboard of whoever sits at this machine. What goes there goes through a program's standard input, never through
/// its arguments, which others can read.
struct Clipboard {
    /// How it is reached.
    enum Way: Equatable {
        /// Wayland, by wl-copy and wl-paste.
        case wayland(copy: String, paste: String)
        /// X11, by xclip.
        case xclip(String)
        /// X11, by xsel.
        case xsel(String)
        /// The terminal's own, by the control sequence OSC 52 (XTerm Control Sequences): it cannot be read back.
        case terminal
    }

    let way: Way

    /// How long a program may take, in seconds.
    private static let patience = 5
    /// The longest text that goes there, in bytes.
    static let longestText = 64 << 10

    /// The clipboard of this session; `nil` where there is none.
    ///
    /// - Parameter allowingTerminal: whether the terminal may be written to.
    init?(allowingTerminal: Bool) {
        if Console.variable("WAYLAND_DISPLAY") != nil, let copy = SiblingProgram.path(of: "wl-copy"),
            let paste = SiblingProgram.path(of: "wl-paste")
        {
            way = .wayland(copy: copy, paste: paste)
        } else if Console.variable("DISPLAY") != nil, let program = SiblingProgram.path(of: "xclip") {
            way = .xclip(program)
        } else if Console.variable("DISPLAY") != nil, let program = SiblingProgram.path(of: "xsel") {
            way = .xsel(program)
        } else if allowingTerminal {
            way = .terminal
        } else {
            return nil
        }
    }

    /// Puts a text there.
    ///
    /// - Throws: `ClipboardError`, `SystemError`.
    func copy(_ text: SecretValue) throws {
        switch way {
        case .wayland(let program, _): try give(text, to: program, ["--type", "text/plain"])
        case .xclip(let program): try give(text, to: program, ["-selection", "clipboard", "-in"])
        case .xsel(let program):
            try give(text, to: program, ["--clipboard", "--input"])
            try waitUntilTaken(text, by: program)
        case .terminal: try writeSequence(text)
        }
    }

    /// What is there.
    enum Content {
        case expected, nothing, somethingElse, unknown
    }

    /// Whether a text is still there.
    func content(expecting text: SecretValue) -> Content {
        switch way {
        case .wayland(_, let program): compare(text, with: program, ["--no-newline"])
        case .xclip(let program): compare(text, with: program, ["-selection", "clipboard", "-out"])
        case .xsel(let program): compare(text, with: program, ["--clipboard", "--output"])
        case .terminal: .unknown
        }
    }

    /// Takes away what is there.
    func clear() throws {
        let nothing = SecretValue(copying: [UInt8]())
        switch way {
        case .wayland(let program, _): try give(nothing, to: program, ["--clear"])
        case .xclip(let program): try give(nothing, to: program, ["-selection", "clipboard", "-in"])
        case .xsel(let program): try give(nothing, to: program, ["--clipboard", "--clear"])
        case .terminal: try writeSequence(nothing)
        }
    }

    // MARK: Programs

    /// Gives a program its input, and waits for its end. What stays behind to answer for the clipboard keeps none of our
    /// streams open.
    private func give(_ text: SecretValue, to program: String, _ arguments: [String]) throws {
        var child = try Child(program, arguments, environment: Self.environment, errors: .withOutput)
        do throws(SystemError) {
            try text.withSpan { (text) throws(SystemError) in try child.write(text) }
        } catch {
            // Why it does not read, its status says.
            guard error.isReaderGone else { throw error }
        }
        child.endInput()
        let status = try child.status(within: Self.patience)
        guard status == 0 else { throw ClipboardError.failed(program, status: status) }
    }

    /// xsel ends before the process that it leaves behind has taken the clipboard: until then the text can neither be
    /// pasted nor be taken away.
    private func waitUntilTaken(_ text: SecretValue, by program: String) throws {
        let end = ContinuousClock.now + .seconds(Self.patience)
        while content(expecting: text) != .expected {
            guard ContinuousClock.now < end else { throw ClipboardError.notTaken(program) }
            usleep(10_000)
        }
    }

    private func compare(_ text: SecretValue, with program: String, _ arguments: [String]) -> Content {
        let nothing: [UInt8] = []
        var found = [UInt8](repeating: 0, count: Self.longestText + 1)
        defer { found.wipe() }
        do throws(SystemError) {
            var child = try Child(program, arguments, environment: Self.environment)
            var room = found.mutableSpan
            let count = try child.exchange(nothing.span, for: &room, within: Self.patience)
            // Where nothing was copied, the programs fail.
            guard try child.status(within: Self.patience) == 0, count > 0 else { return .nothing }
            let same = text.withSpan { constantTimeEquals($0, found.span.extracting(first: count)) }
            return same ? .expected : .somethingElse
        } catch {
            // More than fits is something else; who does not answer, nobody can tell of.
            return error.code == EMSGSIZE ? .somethingElse : .unknown
        }
    }

    /// What leads to the session.
    private static var environment: [String] {
        ["WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "HOME", "PATH"].compactMap { name in
            Console.variable(name).map { "\(name)=\($0)" }
        }
    }

    // MARK: The terminal

    /// ESC ] 52 ; c ; BASE64 BEL. Without content, the clipboard is emptied.
    private func writeSequence(_ text: SecretValue) throws {
        var sequence = Array("\u{1b}]52;c;".utf8)
        // All of it at once: what an array outgrows is not wiped.
        sequence.reserveCapacity(sequence.count + (text.count + 2) / 3 * 4 + 1)
        defer { sequence.wipe() }
        text.withSpan { Base64.standard.encode($0, into: &sequence) }
        sequence.append(0x07)
        let terminal = try Descriptor.open("/dev/tty", O_WRONLY | O_NOCTTY)
        try terminal.write(sequence.span, path: "/dev/tty")
    }
}

/// Why nothing was copied.
enum ClipboardError: EndsWithStatus, CustomStringConvertible {
    /// There is none.
    case noClipboard
    /// The program that reaches it failed.
    case failed(String, status: Int32)
    /// It ended well, and seconds later the clipboard does not hold what it was given.
    case notTaken(String)

    var exitStatus: ExitStatus {
        switch self {
        case .noClipboard: .refused
        case .failed, .notTaken: .failed
        }
    }

    var description: String {
        switch self {
        case .noClipboard:
            "there is no clipboard here: it needs a Wayland session with wl-copy, an X11 session with xclip or xsel, or a "
                + "terminal as output (without --json)"
        case .failed(let program, let status): "nothing was copied: \(program) ended with status \(status)"
        case .notTaken(let program): "nothing was copied: \(program) did not take the clipboard in time"
        }
    }
}
