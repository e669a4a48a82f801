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

    /// Before Linux 6.5 it is found by its number, which another may have by then.
    @Test func whoHasHungUpIsNotFoundByItsNumber() throws {
        let listener = try UnixListener(at: folder.file("other"))
        var theirs: UnixConnection? = try UnixConnection.connect(to: listener.path)
        let ours = try #require(try listener.accept())
        func code() -> Int32 {
            do throws(SystemError) {
                let process = try ProcessHandle(of: ours, asBeforeLinux65: true)
                return process.hasEnded(within: .zero) ? ESRCH : 0
            } catch {
                return error.code
            }
        }
        #expect(code() == 0)
        try theirs?.send([1].span)
        theirs = nil
        #expect(code() == ENOTCONN)
    }
}
