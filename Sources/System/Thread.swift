import CFiles
import Glibc

/// Threads for what blocks, or takes a processor for long.
public enum Thread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a detached thread that runs `body` with every signal blocked.
    ///
    /// Signals are for the program's main thread; SIGPIPE, which the kernel sends to the very thread that writes to a
    /// closed connection (OpenSSL writes without MSG_NOSIGNAL), is thereby never delivered.
    ///
    /// - Returns: whether the thread could be made.
    @discardableResult
    public static func detach(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        var everything = sigset_t()
        var before = sigset_t()
        var number = pthread_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe sigfillset(&everything)
        // The new thread inherits the mask of the thread that makes it.
        unsafe pthread_sigmask(SIG_SETMASK, &everything, &before)
        let box = unsafe Unmanaged.passRetained(Body(name: name, run: body))
        let code = unsafe pthread_create(&number, &attributes, threadMain, box.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        unsafe pthread_attr_destroy(&attributes)
        if code != 0 { unsafe box.release() }
        return code == 0
    }

    /// Lets the calling thread stand back where others of the machine want the processor: it works at what takes long, and they
    /// at what somebody waits for. It gets a third of the time of one of theirs, and all of it when they have nothing to do.
    public static func standBack() {
        // In Linux a thread has a priority of its own (sched(7)), and may always lower it.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        unsafe pthread_setname_np(pthread_self(), String(body.name.prefix(15)))
        body.run()
    }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    unsafe Thread.run(context)
    return nil
}
