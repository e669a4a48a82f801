import Glibc

/// A program that goes on by itself in the background (daemon(7)), started when it is first needed.
///
/// Of two who start it at once, each starts one; it is the program's own affair that only one of them stays, by a lock such
/// as that of `UnixListener`.
public enum Daemon {
    /// Starts a program, and returns when it is ready.
    ///
    /// It is in a session of its own, in the folder "/", hears every signal, and has no descriptor of this process: its
    /// input is empty, and what it writes comes here until it calls `reportReady`, and is lost afterwards.
    ///
    /// - Parameters:
    ///   - path: an absolute path; nothing is looked for.
    ///   - environment: "NAME=value", all of it.
    ///   - limit: how long it may take until it is ready; then it is killed.
    /// - Returns: its number.
    /// - Throws: `DaemonError`; no program is left then.
    @discardableResult
    public static func start(
        _ path: String,
        _ arguments: [String],
        environment: [String],
        within limit: Duration = .seconds(10)
    ) throws(DaemonError) -> pid_t {
        let deadline = SuspendingClock.now + limit
        let process: pid_t
        let channel: UnixConnection
        do throws(SystemError) {
            let pair = try SocketPair()
            let nothing = try Descriptor.open("/dev/null", O_RDONLY)
            process = try Launch(
                path: path,
                arguments: arguments,
                environment: environment,
                streams: [nothing.number, pair.theirs.number, pair.theirs.number],
                folder: "/",
                isDetached: true
            ).start()
            channel = UnixConnection(pair.own, path)
        } catch {
            throw .system(error)
        }
        let text: [UInt8]
        do throws(SystemError) {
            guard let said = try complaint(through: channel, until: deadline) else {
                // It may end before this process does, and is not to stay in the list of processes then.
                Thread.detach(named: "mildam-daemon") { _ = end(of: process) }
                return process
            }
            text = said
        } catch {
            kill(process, SIGKILL)
            _ = end(of: process)
            throw error.code == ETIMEDOUT ? .late(path, limit) : .system(error)
        }
        // It has ended, or has closed its output and will not say any more.
        kill(process, SIGKILL)
        throw .failed(path, status: end(of: process), said: String(decoding: text, as: UTF8.self))
    }

    /// Tells whoever called `start` that this program, which was started by it, is ready; from here on nothing that it
    /// writes arrives anywhere.
    ///
    /// - Throws: `SystemError` when there are no descriptors left, or no /dev/null.
    public static func reportReady() throws(SystemError) {
        let channel = fcntl(1, F_DUPFD_CLOEXEC, 3)
        guard channel >= 0 else { throw .last("speak with who started this program") }
        let starter = UnixConnection(Descriptor(owning: channel), "who started this program")
        let nothing = try Descriptor.open("/dev/null", O_WRONLY)
        for stream: Int32 in [1, 2] {
            guard dup2(nothing.number, stream) == stream else { throw .last("close an output") }
        }
        // Who started it may have gone by now; others will come.
        try? starter.send(Array(readiness.utf8).span, within: .seconds(1))
    }

    /// A line that says that the program is ready.
    private static let readiness = "ready\n"

    /// How much of what a program says before it fails is kept, in bytes.
    private static let limit = 4096

    /// Reads until the program is ready, or its outputs are closed.
    ///
    /// - Returns: what it said when it did not become ready; `nil` when it did.
    private static func complaint(
        through channel: UnixConnection,
        until deadline: SuspendingClock.Instant
    ) throws(SystemError) -> [UInt8]? {
        var text: [UInt8] = []
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            var span = buffer.mutableSpan
            let count = try channel.receive(into: &span, until: deadline)
            if count == 0 { return text }
            for byte in buffer.prefix(count) {
                if text.count < limit { text.append(byte) }
                if line.count <= readiness.utf8.count { line.append(byte) }
                guard byte == UInt8(ascii: "\n") else { continue }
                if line.elementsEqual(readiness.utf8) { return nil }
                line = []
            }
        }
    }

    /// Waits for the end of a child.
    ///
    /// - Returns: its exit status, or 128 and the number of the signal that ended it.
    private static func end(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        guard retryingOnInterrupt({ unsafe waitpid(process, &status, 0) }) == process else { return -1 }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
