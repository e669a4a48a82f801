import Glibc
import MildamSystem
import TestSupport
import Testing

@Suite("A process at the other end of a connection can be ended")
struct ProcessHandleTests {
    private let folder: TemporaryFolder
    private let program: Program
    private let connection: UnixConnection

    init() throws {
        folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        let script = """
            import signal, socket, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            signal.pause()
            """
        program = try Program("python3", ["-c", script, listener.path])
        connection = try #require(try listener.accept())
    }

    @Test func itIsWaitedForAndEnded() throws {
        let process = try ProcessHandle(of: connection)
        let goesOn = !process.hasEnded(within: .milliseconds(20))
        #expect(goesOn)
        try process.send(signal: SIGTERM)
        let ended = process.hasEnded(within: .seconds(20))
        #expect(ended)
        program.wait()
        var code: Int32 = 0
        do throws(SystemError) { try process.send(signal: SIGTERM) } catch { code = error.code }
        #expect(code == ESRCH, "nobody else gets the signal")
    }

    @Test func oneThatHasEndedIsNotFound() throws {
        program.signal(SIGKILL)
        program.wait()
        var code: Int32 = 0
        do throws(SystemError) {
            let process = try ProcessHandle(of: connection)
            try process.send(signal: SIGTERM)
        } catch {
            code = error.code
        }
        #expect(code == ESRCH)
    }
}
