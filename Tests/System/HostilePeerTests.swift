import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("Peers that misbehave")
struct HostilePeerTests {
    private let ours: UnixConnection
    private let theirs: UnixConnection
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        theirs = try UnixConnection.connect(to: listener.path)
        ours = try #require(try listener.accept())
    }

    /// The code of the error that `body` throws, and how long it took.
    private func code(_ body: () throws -> Void) -> (code: Int32?, time: Duration) {
        var code: Int32?
        let time = ContinuousClock().measure {
            do { try body() } catch { code = (error as? SystemError)?.code }
        }
        return (code, time)
    }

    @Test("Half of what was announced, and the end", arguments: [1, 7])
    func half(_ count: Int) throws {
        try theirs.send([UInt8](repeating: 1, count: count).span)
        theirs.shutdown()
        #expect(code { _ = try ours.receive(8) }.code == ECONNRESET)
    }

    @Test("The end before anything is no error")
    func end() throws {
        try theirs.send([1, 2, 3].span)
        theirs.shutdown()
        #expect(try ours.receive(3) == [1, 2, 3])
        #expect(try ours.receive(8) == nil)
    }

    @Test("Half of what was announced, and then nothing")
    func silence() throws {
        try theirs.send([1, 2, 3].span)
        let (code, time) = code { _ = try ours.receive(8, within: .milliseconds(100)) }
        #expect(code == ETIMEDOUT)
        #expect(time >= .milliseconds(100))
    }

    @Test("A byte at a time does not lengthen the time there is")
    func trickle() async throws {
        async let feeding: Void = Blocking.run { [theirs] in
            while (try? theirs.send([1].span)) != nil { usleep(20_000) }
        }
        let (code, time) = code { _ = try ours.receive(1000, within: .milliseconds(300)) }
        #expect(code == ETIMEDOUT)
        #expect(time >= .milliseconds(300) && time < .seconds(5))
        theirs.shutdown()
        try await feeding
    }

    @Test("Who does not read holds up the sender for so long and no longer")
    func noReading() throws {
        let bytes = [UInt8](repeating: 7, count: 10_000_000)
        let (code, time) = code { try ours.send(bytes.span, within: .milliseconds(100)) }
        #expect(code == ETIMEDOUT)
        #expect(time >= .milliseconds(100) && time < .seconds(5))
    }

    @Test("Who reads a little at a time does not lengthen the time there is")
    func slowReading() async throws {
        async let reading: Void = Blocking.run { [theirs] in
            // 4 MB a second, the sender writing every few hundredths of one.
            while (try? theirs.receive(20_000)) ?? nil != nil { usleep(5000) }
        }
        let bytes = [UInt8](repeating: 7, count: 10_000_000)
        let (code, time) = code { try ours.send(bytes.span, within: .milliseconds(300)) }
        #expect(code == ETIMEDOUT)
        #expect(time >= .milliseconds(300) && time < .seconds(5))
        ours.shutdown()
        try await reading
    }

    @Test("Writing to who is gone is an error, and no signal")
    func gone() throws {
        theirs.shutdown()
        // The test's thread would die of it.
        signal(SIGPIPE, SIG_DFL)
        #expect(code { try ours.send([1].span) }.code == EPIPE)
    }

    @Test("Who leaves without reading what it was sent")
    func leftUnread() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        let script = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.recv(1)"
        let program = try Program("/usr/bin/python3", ["-c", script, listener.path])
        let connection = try #require(try listener.accept())
        try connection.send([1, 2, 3].span)
        #expect(program.wait().status == 0)
        #expect(code { _ = try connection.receive(1) }.code == ECONNRESET)
    }

    @Test("Ending the connection wakes who waits in it")
    func shutdownWakes() async throws {
        async let received = Blocking.run { [ours] in try ours.receive(1, within: nil) == nil }
        async let sent = Blocking.run { [ours] in
            let bytes = [UInt8](repeating: 7, count: 10_000_000)
            do throws(SystemError) { try ours.send(bytes.span) } catch { return error.code }
            return Int32(0)
        }
        try await Task.sleep(for: .milliseconds(100))
        ours.shutdown()
        #expect(try await received)
        #expect(try await sent == EPIPE)
    }

    @Test("Nobody waits for ever to be accepted")
    func fullQueue() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        var waiting: [UnixConnection] = []
        let (code, time) = code {
            for _ in 0..<1000 {
                waiting.append(try UnixConnection.connect(to: listener.path, within: .milliseconds(200)))
            }
        }
        #expect(code == ETIMEDOUT)
        #expect(time >= .milliseconds(200) && time < .seconds(5))
        #expect(waiting.count >= 64)
    }
}
