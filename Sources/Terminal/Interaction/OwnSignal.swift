import Glibc

/// Signals that a program sends itself.
public enum OwnSignal {
    /// Lets a signal do what it does, before this returns; if it ends the program, this does not return.
    ///
    /// The threads of Swift's pool have every signal blocked: sent to the process, it would come at another thread at
    /// some other time.
    public static func raise(_ signal: Int32) {
        var only = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&only)
        unsafe sigaddset(&only, signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &only, &before)
        Glibc.raise(signal)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
