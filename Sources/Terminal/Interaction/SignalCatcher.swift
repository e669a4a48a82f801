import Glibc
import MildamSystem
import Synchronization

/// Catches the signals that end or stop a program while it has changed the terminal.
///
/// The handler writes the signal's number into a pipe, so that whichever thread the kernel picks to handle it, the one
/// that waits for the terminal hears of it. One at a time: the caller sees to that.
struct SignalCatcher: ~Copyable {
    /// Becomes readable when a signal has arrived.
    let incoming: Descriptor
    private let outgoing: Descriptor
    private var saved: [(signal: Int32, action: sigaction)] = []

    private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU]

    /// - Parameter notices: signals that only tell something (SIGWINCH, SIGCONT) and are to be heard of as well.
    init(and notices: [Int32] = []) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("make a pipe") }
        incoming = Descriptor(owning: ends[0])
        outgoing = Descriptor(owning: ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signalPipe.store(ends[1], ordering: .sequentiallyConsistent)

        for signal in Self.caught + notices {
            var current = sigaction()
            guard unsafe sigaction(signal, nil, &current) == 0 else { continue }
            // What the program's starter ignores (nohup) stays ignored.
            if Self.isIgnored(current) { continue }
            var ours = sigaction()
            unsafe ours.__sigaction_handler.sa_handler = noteSignal
            // What only tells something does not break into anybody's system calls.
            if notices.contains(signal) { ours.sa_flags = SA_RESTART }
            guard unsafe sigaction(signal, &ours, nil) == 0 else { continue }
            saved.append((signal, current))
        }
    }

    deinit {
        for entry in saved {
            var action = entry.action
            unsafe sigaction(entry.signal, &action, nil)
        }
        signalPipe.store(-1, ordering: .sequentiallyConsistent)
        // Nobody asked for these: they came too late, and must not be lost.
        while let signal = next() { kill(getpid(), signal) }
    }

    /// Takes the signal that arrived first, if any did. What is not taken is raised again when the handlers are back.
    borrowing func next() -> Int32? {
        var byte: UInt8 = 0
        return unsafe read(incoming.number, &byte, 1) == 1 ? Int32(byte) : nil
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        let handler = unsafe action.__sigaction_handler.sa_handler
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// Where the handler writes; -1 while nobody listens.
private let signalPipe = Atomic<Int32>(-1)

/// Async-signal-safe: an atomic load and `write(2)`, and the interrupted code's `errno` is kept.
private func noteSignal(_ signal: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    unsafe write(signalPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = code
}
