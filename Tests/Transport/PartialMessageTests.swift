import MildamSystem
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("WebSocket messages that have come in part")
struct PartialMessageTests {
    private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes = WebSocketFrameEncoder.encode(.binary, payload, mask: [1, 2, 3, 4])
        bytes[0] = first
        return bytes
    }

    private func open(_ server: EchoServer) async throws -> RawConnection {
        let client = try RawConnection(to: server.address)
        #expect(await client.upgrade().hasPrefix("HTTP/1.1 101 "))
        return client
    }

    /// Sends a part, and returns when the server has it: it has answered the ping behind.
    private func send(_ part: [UInt8], over client: RawConnection) async {
        client.send(part + frame(0x89, [7]))
        #expect(await client.read(3) == [0x8A, 1, 7])
    }

    @Test func allTogetherAreLimited() async throws {
        var limits = ServerLimits()
        limits.maxBufferedBodyBytes = 100
        let server = try EchoServer(limits)
        let part = frame(0x02, [UInt8](repeating: 0, count: 60))
        let first = try await open(server)
        await send(part, over: first)
        let second = try await open(server)
        second.send(part)
        #expect(await second.read(100) == [0x88, 2, 0x03, 0xF5])
        // What was refused, ended or cut off is given back, each time.
        for _ in 0..<3 {
            first.send(frame(0x80, [1]))
            #expect(await first.read(63) == [0x82, 61] + [UInt8](repeating: 0, count: 60) + [1])
            do {
                let gone = try await open(server)
                await send(part, over: gone)
                gone.finishSending()
                #expect(await gone.read(1).isEmpty)
            }
            await send(part, over: first)
        }
    }

    @Test func oneThatDripsIsEnded() async throws {
        var limits = ServerLimits()
        limits.bodyTimeout = .milliseconds(150)
        let server = try EchoServer(limits)
        let client = try await open(server)
        await send(frame(0x02, [0]), over: client)
        for _ in 0..<100 {
            guard client.send(frame(0x00, [0])) else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(await client.read(100) == [0x88, 2, 0x03, 0xF0])
    }

    @Test func oneThatIsSilentIsEnded() async throws {
        var limits = ServerLimits()
        limits.bodyTimeout = .milliseconds(500)
        limits.pingInterval = .seconds(2)
        let server = try EchoServer(limits)
        let client = try await open(server)
        await send(frame(0x02, [0]), over: client)
        #expect(await client.read(100) == [0x88, 2, 0x03, 0xF0], "instead of a ping")
    }

    /// Each message has its own time, also where no moment lies between two.
    @Test func manyBehindEachOtherAreNotOneSlowOne() async throws {
        var limits = ServerLimits()
        limits.bodyTimeout = .seconds(2)
        let server = try EchoServer(limits)
        let client = try await open(server)
        client.send(frame(0x02, []))
        for number in 0..<100 {
            client.send(frame(0x80, [UInt8(number)]) + frame(0x02, []))
            #expect(await client.read(3) == [0x82, 1, UInt8(number)])
            try await Task.sleep(for: .milliseconds(25))
        }
    }
}
