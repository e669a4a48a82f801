import Glibc
import MildamSystem

/// Tells a SIGHUP that says that the relay's terminal is gone from one that somebody sends to have the certificate read.
/// To be made while the terminal is there.
struct Hangup {
    private let starter = getppid()
    private let hadTerminal = Hangup.hasTerminal
    private let isIgnored = Hangup.isIgnoredByStarter

    /// Whether the relay is to go with its terminal.
    ///
    /// - Parameters:
    ///   - code: where the signal comes from (`si_code`): the kernel's own are above zero.
    ///   - sender: which process sent it. A shell that is hung up on passes it on before it goes.
    func isEnd(code: Int32, from sender: pid_t) -> Bool {
        hadTerminal && !isIgnored && (code > 0 || sender == starter && !Self.hasTerminal)
    }

    private static var hasTerminal: Bool {
        do {
            _ = try Descriptor.open("/dev/tty", O_RDWR | O_NOCTTY)
            return true
        } catch {
            return false
        }
    }

    /// `nohup` does that; whoever waits for a signal gets it all the same.
    private static var isIgnoredByStarter: Bool {
        var action = sigaction()
        guard unsafe sigaction(SIGHUP, nil, &action) == 0 else { return false }
        let handler = unsafe action.__sigaction_handler.sa_handler
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
