import Glibc

/// Ctrl-C, while many worlds are played: the run ends after the world that is being played, and tells of those that were.
struct Interruption {
    private var signals = sigset_t()

    /// From here on SIGINT waits until it is asked for.
    init() {
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether it has come since it was asked for last.
    mutating func hasCome() -> Bool {
        var atOnce = timespec()
        return unsafe sigtimedwait(&signals, nil, &atOnce) == SIGINT
    }
}
