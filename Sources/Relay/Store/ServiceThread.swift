import Glibc
import MildamSystem

/// A thread that may block on the disk, and can be waited for.
final class ServiceThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let identifier: pthread_t

    /// Starts the thread, with every signal blocked: they are for the main thread.
    init(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
        var everything = sigset_t()
        var before = sigset_t()
        var identifier = pthread_t()
        unsafe sigfillset(&everything)
        unsafe pthread_sigmask(SIG_SETMASK, &everything, &before)
        let body = unsafe Unmanaged.passRetained(Body(run))
        let code = unsafe pthread_create(&identifier, nil, serviceThreadMain, body.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            unsafe body.release()
            throw SystemError("start a thread", code: code)
        }
        self.identifier = identifier
    }

    /// Starts a thread that opens something, waits until it is open, and leaves the thread to serve with it.
    static func opening<Resource>(
        _ open: @escaping @Sendable () throws(RelayError) -> Resource,
        serve: @escaping @Sendable (Resource) -> Void
    ) throws(RelayError) -> ServiceThread {
        let opened = Handover<Result<Void, RelayError>>()
        let thread: ServiceThread
        do {
            thread = try ServiceThread {
                do throws(RelayError) {
                    let resource = try open()
                    opened.give(.success(()))
                    serve(resource)
                } catch {
                    opened.give(.failure(error))
                }
            }
        } catch {
            throw .system(error)
        }
        if case .failure(let error) = opened.take() {
            thread.join()
            throw error
        }
        return thread
    }

    /// Waits for its end. Called once.
    func join() {
        pthread_join(identifier, nil)
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        body.run()
    }
}

private func serviceThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    unsafe ServiceThread.run(context)
    return nil
}
