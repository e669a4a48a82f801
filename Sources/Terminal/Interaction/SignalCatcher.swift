import Glibc
import MildamSystem
import Synchronization

/// Catches the signals that end or stop a program while it has changed the terminal.
///
/// The handler writes the signal's number into a pipe, so that whichever thread the kernel picks to handle it, the one
/// that waits for the terminal hears of it. Where one begins while another listens, it has the signals until it goes; what it
/// leaves is the other's.
struct SignalCatcher: ~Copyable {
    private let pipe: SignalPipe
    private var saved: [(signal: Int32, action: sigaction)] = []

    private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU]

    /// - Parameter notices: signals that only tell something (SIGWINCH, SIGCONT) and are to be heard of as well.
    init(and notices: [Int32] = []) throws(SystemError) {
        pipe = try SignalPipe.open()
        listeners.add(1, ordering: .sequentiallyConsistent)
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
        guard listeners.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
        // Nobody asked for these: they came too late, and must not be lost.
        while let signal = next() { OwnSignal.raise(signal) }
    }

    /// A descriptor that becomes readable when a signal has arrived.
    var incoming: Int32 { pipe.incoming }

    /// Takes the signal that arrived first, if any did. What is not taken is raised again when the handlers are back.
    borrowing func next() -> Int32? {
        var byte: UInt8 = 0
        return unsafe read(incoming, &byte, 1) == 1 ? Int32(byte) : nil
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        let handler = unsafe action.__sigaction_handler.sa_handler
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The pipe that the handler writes into. The process has one and keeps it: a handler may still be at work, on another
/// thread, when nobody listens any more.
private struct SignalPipe {
    let incoming: Int32
    let outgoing: Int32

    private static let kept = Lock<SignalPipe?>(nil)

    /// Makes it, the first time.
    static func open() throws(SystemError) -> SignalPipe {
        try kept.withLock { kept throws(SystemError) in
            if let kept { return kept }
            let pipe = try SignalPipe()
            kept = pipe
            return pipe
        }
    }

    private init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("make a pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (incoming, outgoing) = (ends[0], ends[1])
        source.store(incoming, ordering: .sequentiallyConsistent)
        sink.store(outgoing, ordering: .sequentiallyConsistent)
    }
}

/// How many listen: one may begin while another does, and has the signals then.
private let listeners = Atomic<Int>(0)
/// Where the handler writes, and where that is read.
private let sink = Atomic<Int32>(-1)
private let source = Atomic<Int32>(-1)

/// Async-signal-safe: atomic loads, `write(2)`, `read(2)` and `raise(3)`, and the interrupted code's `errno` is kept.
private func noteSignal(_ signal: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    let isListenedTo = listeners.load(ordering: .sequentiallyConsistent) > 0
    if isListenedTo { unsafe write(sink.load(ordering: .sequentiallyConsistent), &byte, 1) }
    // Whoever listened has gone, before that or meanwhile: the signal does what it does by then, once this has returned,
    // also where that is to come here again for the next one who listens.
    if !isListenedTo {
        raise(signal)
    } else if listeners.load(ordering: .sequentiallyConsistent) == 0 {
        let isUnheard = unsafe read(source.load(ordering: .sequentiallyConsistent), &byte, 1) == 1
        if isUnheard { raise(Int32(byte)) }
    }
    errno = code
}
