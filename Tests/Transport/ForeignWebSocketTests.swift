import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("RFC 6455: with Python's websockets, as client and as server", .enabled(if: Foreign.websockets))
struct ForeignWebSocketTests {
    /// What a message of 16 MiB takes.
    private static let limits: ServerLimits = {
        var limits = ServerLimits()
        limits.maxFrameBytes = 1 << 24
        limits.maxMessageBytes = 1 << 24
        limits.maxQueuedBytesPerConnection = 1 << 26
        return limits
    }()

    private static let checks = [
        "echoes", "fragments", "a_ping_between_fragments", "pings", "seventy_thousand_bytes", "sixteen_megabytes",
        "lengths_around_every_form", "our_close_codes_come_back", "its_close_code_arrives", "invalid_utf8",
        "invalid_utf8_over_fragments", "no_mask", "first_reserved_bit", "second_reserved_bit", "third_reserved_bit",
        "continuation_of_nothing", "text_inside_text", "unknown_opcode", "long_ping", "too_large", "close_code_1005",
    ]

    private func run(_ server: EchoServer, _ arguments: [String]) throws -> [String] {
        let result = try Program.run(Foreign.python, [PythonPeer.path(of: "websocket_client.py")] + arguments)
        #expect(result.status == 0, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func itsClientOfOurServer() throws {
        let server = try EchoServer(Self.limits)
        let lines = try run(server, ["ws://\(server.address)/ws"])
        #expect(lines == Self.checks.map { "ok \($0)" } + ["all \(Self.checks.count)"])
    }

    @Test func theSameOverTLS() throws {
        let certificates = try TestCertificates()
        let server = try EchoServer(Self.limits, tls: certificates.server("good"))
        let lines = try run(server, ["wss://\(server.address)/ws", certificates.authorityFile])
        #expect(lines == Self.checks.map { "ok \($0)" } + ["all \(Self.checks.count)"])
    }

    /// The server's program; ended with its owner.
    private final class Server: Sendable {
        let program: Program
        let endpoint: Endpoint

        init() throws {
            program = try Program(Foreign.python, [PythonPeer.path(of: "websocket_server.py")])
            let line = try #require(program.line(containing: "port "))
            endpoint = Endpoint(.loopback(port: try #require(UInt16(line.dropFirst(5)))))
        }

        deinit {
            program.signal(SIGKILL)
        }

        func open(_ path: String, _ limits: ClientLimits = .init()) async throws -> WebSocketConnection {
            try await WebSocketClient.connect(endpoint, #require(HTTPTarget(path)), limits: limits)
        }

        /// Whether it has seen a connection of this path end with this code.
        func saw(_ path: String, _ code: Int) -> Bool {
            program.line(containing: "closed \(path) \(code)", within: 10) != nil
        }
    }

    @Test func ourClientOfItsServer() async throws {
        let server = try Server()
        var limits = ClientLimits()
        limits.maxMessageBytes = 1 << 24
        let socket = try await server.open("/echo", limits)
        var messages = socket.messages.makeAsyncIterator()
        for text in ["", "a", "h\u{E9}llo \u{20AC} \u{1F600}"] {
            try await socket.send(text: text)
            #expect(await messages.next() == .text(text))
        }
        for size in [0, 125, 126, 65_535, 65_536, 70_000, 1 << 24] {
            let payload = [UInt8](repeating: 7, count: size)
            try await socket.send(binary: payload)
            #expect(await messages.next() == .binary(payload), "\(size)")
        }
        socket.close(code: 4002)
        #expect(await messages.next() == nil)
        #expect(socket.closing?.code == 4002)
        #expect(server.saw("/echo", 4002))
    }

    @Test func fragmentsPingsAndItsCloseCode() async throws {
        let server = try Server()
        let fragments = try await server.open("/fragments")
        var messages = fragments.messages.makeAsyncIterator()
        #expect(await messages.next() == .text("h\u{E9}llo"))
        #expect(await messages.next() == .binary([UInt8](repeating: 0x61, count: 1000)))
        let ping = try await server.open("/ping")
        messages = ping.messages.makeAsyncIterator()
        #expect(await messages.next() == .text("pong"))
        let closing = try await server.open("/close")
        messages = closing.messages.makeAsyncIterator()
        #expect(await messages.next() == nil)
        #expect(closing.closing == WebSocketClosing(code: 4001, reason: "as asked"))
        #expect(server.saw("/close", 4001))
    }

    @Test(
        "What breaks a rule is answered with its code",
        arguments: [("/invalid", 1007), ("/masked", 1002), ("/reserved", 1002), ("/large", 1009)]
    )
    func itsViolations(_ path: String, _ code: Int) async throws {
        let server = try Server()
        let socket = try await server.open(path)
        var messages = socket.messages.makeAsyncIterator()
        #expect(await messages.next() == nil)
        #expect(server.saw(path, code))
    }
}
