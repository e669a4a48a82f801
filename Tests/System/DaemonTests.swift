import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("Programs that go on by themselves", .serialized)
struct DaemonTests {
    private let folder: TemporaryFolder
    private let program: String

    init() throws {
        folder = try TemporaryFolder()
        program = try Program.find("mildam-system-program")
    }

    private var environment: [String] { ProcessInfo.processInfo.environment.map { "\($0)=\($1)" } }

    private func start(_ arguments: String..., within limit: Duration = .seconds(30)) throws(DaemonError) -> pid_t {
        try Daemon.start(program, arguments, environment: environment, within: limit)
    }

    /// A line of /proc/PID/status.
    private func status(_ process: pid_t, _ name: String) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }

    private func link(_ path: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    /// What a process has open; a descriptor that is closed meanwhile is not among it.
    private func openFiles(of process: pid_t) -> [String] {
        let folder = "/proc/\(process)/fd"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap {
            try? link("\(folder)/\($0)")
        }
    }

    @Test("It is ready when the call returns, and has nothing of its starter's")
    func ready() async throws {
        // What a daemon must not take over: an ignored signal, blocked ones, a descriptor that programs inherit.
        signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, SIG_DFL) }
        let inherited = unsafe open("/dev/zero", O_RDONLY)
        defer { close(inherited) }
        let path = folder.file("socket")
        let process = try await Blocking.run { [self] in
            var everything = sigset_t()
            unsafe sigfillset(&everything)
            unsafe pthread_sigmask(SIG_BLOCK, &everything, nil)
            return try start("serve", path)
        }
        #expect(getsid(process) == process)
        #expect(try link("/proc/\(process)/cwd") == "/")
        #expect(try status(process, "SigBlk") == "0000000000000000")
        // But for two that belong to the C library, and have no names: 32 and 33.
        let ignored = try #require(UInt64(status(process, "SigIgn"), radix: 16))
        #expect(ignored & ~(0b11 << 31) == 0)
        #expect(!openFiles(of: process).contains("/dev/zero"))
        // It closes the way to its starter only after it has said "ready" on it.
        let isAlone = await eventually {
            let open = openFiles(of: process)
            return open.count { $0 == "/dev/null" } == 3 && open.count { $0.hasPrefix("socket:") } == 1
        }
        #expect(isAlone, "\(openFiles(of: process))")
        _ = try UnixConnection.connect(to: path)
        // It stays in nobody's list when it ends.
        kill(process, SIGKILL)
        #expect(await eventually { !WholeFile.isTaken("/proc/\(process)") })
    }

    @Test("What it says before it fails is told, with its status")
    func failure() {
        #expect(throws: DaemonError.failed(program, status: 3, said: "a warning\nthere is no ready\n")) {
            _ = try start("fail")
        }
        let error = DaemonError.failed("/x", status: 3, said: "a warning\nthere is no ready\n")
        #expect("\(error)" == "/x did not start: there is no ready")
        #expect("\(DaemonError.failed("/x", status: 3, said: ""))" == "/x did not start: it ended with status 3")
    }

    @Test("However much it says, 4096 bytes of it are kept")
    func noise() {
        do {
            _ = try start("noise")
            Issue.record("a program that fails is called ready")
        } catch {
            guard case .failed(_, 4, let said) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(said.utf8.count == 4096)
        }
    }

    @Test("It is not waited for without end, and not left behind")
    func late() throws {
        let before = try running()
        let time = ContinuousClock().measure {
            #expect(throws: DaemonError.late(program, .milliseconds(500))) {
                _ = try start("silence", within: .milliseconds(500))
            }
        }
        #expect(time < .seconds(10))
        // Its outputs closed, it will never say that it is ready.
        #expect(throws: DaemonError.failed(program, status: 128 + SIGKILL, said: "not quite ready")) {
            _ = try start("close")
        }
        #expect(try running() == before)
    }

    /// The processes of the program there are.
    private func running() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter {
            (try? link("/proc/\($0)/exe"))?.hasSuffix("/mildam-system-program") ?? false
        }
    }

    @Test("What cannot be started is an error of the system's")
    func missing() {
        #expect(throws: DaemonError.system(SystemError("start", "/nonexistent/program", code: ENOENT))) {
            _ = try Daemon.start("/nonexistent/program", [], environment: [])
        }
    }

    @Test("Of several that are started at once one stays, and the others say why they do not")
    func race() async throws {
        let path = folder.file("socket")
        let outcomes = await withTaskGroup(of: Result<pid_t, any Error>.self) { group in
            for _ in 0..<4 {
                group.addTask { [self] in
                    do { return .success(try await Blocking.run { try start("serve", path) }) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let started = outcomes.compactMap { try? $0.get() }
        defer { for process in started { kill(process, SIGKILL) } }
        #expect(started.count == 1)
        for case .failure(let error) in outcomes {
            #expect("\(error)".hasSuffix("cannot listen at \(path): Address already in use"))
        }
        _ = try UnixConnection.connect(to: path)
    }
}
