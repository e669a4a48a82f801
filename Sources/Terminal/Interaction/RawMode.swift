import Glibc
import MildamSystem

/// A terminal that hands over each key as it is pressed, and shows none by itself; as it was before once this goes.
struct RawMode: ~Copyable {
    private let terminal: Int32
    private let usual: termios
    private let raw: termios

    /// Changes the terminal.
    ///
    /// - Throws: with `EINTR` when a signal came first: a program in the background is told so (SIGTTOU).
    init(_ terminal: Int32) throws(SystemError) {
        var settings = termios()
        guard unsafe tcgetattr(terminal, &settings) == 0 else { throw .last("look at", "the terminal") }
        let usual = settings
        // Ctrl-C and Ctrl-Z are keys, Enter is told from Ctrl-J, nothing is echoed. Output stays as it was: a new line
        // begins at the left.
        settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | IGNCR | INLCR | INPCK | ISTRIP | IXON)
        settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN | ISIG)
        settings.c_oflag |= tcflag_t(OPOST | ONLCR)
        // VMIN (6) and VTIME (5): a read waits for one byte.
        settings.c_cc.6 = 1
        settings.c_cc.5 = 0
        guard unsafe tcsetattr(terminal, TCSADRAIN, &settings) == 0 else { throw .last("change", "the terminal") }
        self.terminal = terminal
        self.usual = usual
        raw = settings
    }

    /// Changes it again, after somebody else may have.
    borrowing func renew() {
        var settings = raw
        _ = unsafe tcsetattr(terminal, TCSADRAIN, &settings)
    }

    /// What was typed and is not read goes: whoever reads next, a shell perhaps, was not meant.
    deinit {
        var settings = usual
        // In the background this interrupts itself with SIGTTOU each time, so not for ever.
        for _ in 0..<8 where unsafe tcsetattr(terminal, TCSAFLUSH, &settings) == 0 || errno != EINTR { break }
    }
}
