import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

/// Each attack runs against a server of its own process, whose memory is looked at, while an honest client asks.
///
/// How long it waits is held as programs are released, with nothing beside them (Scripts/prove.d/16-attacks): elsewhere a
/// moment that other tests take is not the server's.
@Suite("Attacks: others are still answered, and memory stays bounded")
struct AttackTests {
    private static let isFull = Build.isOptimised && ProcessInfo.processInfo.environment["MILDAM_PROVE"] != nil
    private static let questions = isFull ? 2000 : 200

    /// Asks before and during an attack.
    ///
    /// - Parameters:
    ///   - twin: a server that nobody asks anything. Before, the same attack is made on it, where what an attack takes of the
    ///     machine is more than what it takes of the server. Without one there is none before.
    ///   - attack: begins it.
    ///   - step: keeps it up, every few milliseconds while the client asks.
    private func honest(
        _ name: String,
        _ server: EchoProcess,
        over tls: TLSClientConfiguration? = nil,
        twin: EchoProcess? = nil,
        during attack: (EchoProcess) throws -> Flood,
        step: (Flood) -> Void = { _ in }
    ) async throws -> Flood {
        let endpoint = Endpoint(server.address, isSecure: tls != nil)
        let client = HonestClient(endpoint: endpoint, tls: tls ?? TLSClientConfiguration())
        func ask(whileAttacking target: EchoProcess) async throws -> (flood: Flood, times: [Duration]) {
            let flood = try attack(target)
            var times: [Duration] = []
            for _ in 0..<Self.questions / 20 {
                step(flood)
                times += try await client.ask(20)
            }
            return (flood, times.sorted())
        }
        let quiet =
            if let twin { try await ask(whileAttacking: twin).times } else { try await client.ask(Self.questions) }
        let (flood, times) = try await ask(whileAttacking: server)
        let (before, under, slowest) = (
            quiet[quiet.count * 99 / 100], times[times.count * 99 / 100], times[times.count - 1]
        )
        let comparison = twin == nil ? "before" : "beside the same on a twin"
        print("figure: \(name): p99 of an honest client \(before) \(comparison), \(under) under; slowest \(slowest)")
        // Much more than any of them takes; what hangs takes longer.
        #expect(slowest < .seconds(5))
        if Self.isFull { #expect(under <= before * 3) }
        return flood
    }

    private func expectMemory(of server: EchoProcess, within bound: Int, above base: Int, _ name: String) throws {
        guard !Sanitizer.isOn else { return print("skipped: memory under a sanitizer is not the program's own") }
        let growth = try server.peakBytes() - base
        print("figure: \(name): \(growth >> 10) KiB more memory, \(bound >> 10) KiB allowed")
        #expect(growth <= bound)
    }

    @Test func headsThatDrip() async throws {
        let count = Flood.room(for: Count.of(few: 300, full: 5000))
        let server = try EchoProcess(["headTimeout=1500"])
        let base = try server.peakBytes()
        let begin = { (server: EchoProcess) in
            let flood = try Flood(of: count, to: server.address)
            flood.send("GET / HTTP/1.1\r\nHost: a\r\nX-Drip: ")
            return flood
        }
        let dripping = try await honest("heads that drip", server, during: begin) { $0.send("x") }
        try expectMemory(of: server, within: count * 8 * 1024 + 16 << 20, above: base, "heads that drip")
        let isOver = await eventually {
            dripping.send("x")
            return dripping.openCount == 0
        }
        #expect(isOver, "a head has its time, however it comes")
        #expect(dripping.firstAnswer().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func headsThatAreBombs() async throws {
        let count = Flood.room(for: Count.of(few: 300, full: 3000))
        let server = try EchoProcess(["headTimeout=60000", "maxHeadBytes=16384"])
        let base = try server.peakBytes()
        let bombs = try await honest("heads that are bombs", server) { server in
            let bombs = try Flood(of: count, to: server.address)
            // As much as is allowed, in as many fields, and no end.
            let fields = (0..<98).map { "X-\($0): \(String(repeating: "y", count: 150))\r\n" }
            bombs.send("GET / HTTP/1.1\r\nHost: a\r\n" + fields.joined())
            return bombs
        }
        // The bytes, room for the array to grow, and where each line ends.
        try expectMemory(of: server, within: count * 64 * 1024 + 16 << 20, above: base, "heads that are bombs")
        #expect(bombs.openCount == count)
        bombs.send(String(repeating: "z", count: 2000))
        #expect(await eventually { bombs.openCount == 0 })
        #expect(bombs.firstAnswer().hasPrefix("HTTP/1.1 431 "))
    }

    @Test func connectionsThatSayNothing() async throws {
        let count = Flood.room(for: Count.of(few: 1000, full: 20_000))
        let server = try EchoProcess(["headTimeout=600000"])
        let base = try server.peakBytes()
        let silent = try await honest("connections that say nothing", server) {
            try Flood(of: count, to: $0.address)
        }
        #expect(silent.openCount == count)
        // 2 KiB each is the aim; the rest is the allocator's.
        try expectMemory(of: server, within: count * 3 * 1024 + 8 << 20, above: base, "connections that say nothing")
    }

    @Test func manyFromOneAddress() async throws {
        let count = Flood.room(for: Count.of(few: 1000, full: 5000))
        let server = try EchoProcess(["maxConnectionsPerAddress=50", "maxConnections=100", "headTimeout=600000"])
        let many = try await honest("many from one address", server) { try Flood(of: count, to: $0.address) }
        // Without the limit they would have filled the server, and the honest client would wait outside.
        #expect(many.openCount == 50)
    }

    /// Recorded hellos, which cost the client nothing. The honest one shakes hands at every tenth question.
    @Test("Hellos without end", arguments: ["X25519", "ffdhe8192"])
    func hellosWithoutEnd(_ group: String) async throws {
        let certificates = try TestCertificates()
        let files = certificates.server("good")
        let settings = ["certificate=\(files.certificateChainFile)", "key=\(files.privateKeyFile)"]
        let (server, twin) = (try EchoProcess(settings), try EchoProcess(settings))
        let pin = TLSClientConfiguration(trust: try certificates.pin(of: "good"))
        let hello = try ClientHello.offering(group)
        var target = server
        func attack(_ count: Int) throws -> Flood {
            let flood = try Flood(of: Flood.room(for: count), to: target.address)
            flood.send(hello)
            return flood
        }
        var latest: Flood?
        _ = try await honest("hellos of \(group) without end", server, over: pin, twin: twin) {
            target = $0
            return try attack(Count.of(few: 100, full: 1000))
        } step: { _ in
            latest = try? attack(30)
        }
        #expect(latest != nil)
    }

    @Test func clientsThatNeverRead() async throws {
        let count = Flood.room(for: Count.of(few: 60, full: 400))
        let server = try EchoProcess(["maxQueuedBytesPerConnection=100000", "writeTimeout=1500"])
        let (base, descriptors) = (try server.peakBytes(), try server.descriptorCount())
        let deaf = try await honest("clients that never read", server) { server in
            let deaf = try Flood(of: count, to: server.address, receiveBuffer: 4096)
            deaf.send(String(repeating: "GET /large/100000 HTTP/1.1\r\nHost: a\r\n\r\n", count: 200))
            return deaf
        }
        // What may wait, one answer more, and their requests.
        try expectMemory(of: server, within: count * 400 * 1024 + 16 << 20, above: base, "clients that never read")
        // They do not read how it ends; the server has let go of them.
        let isOver = await eventually { (try? server.descriptorCount()).map { $0 <= descriptors } ?? false }
        #expect(isOver, "what does not go in time is given up")
        #expect(!deaf.firstAnswer().isEmpty, "what was sent in time can still be read")
    }

    /// A server that waits for somebody to type a password serves nobody.
    @Test("A key under a password is refused, and nobody is asked", .enabled(if: Foreign.terminal))
    func aLockedKeyAsksNobody() throws {
        let certificates = try TestCertificates()
        let key = try certificates.lockedKey(of: "good")
        let echo = try Program.find("mildam-echo")
        let command = "\(echo) certificate=\(certificates.path("good.pem")) key=\(key)"
        // `script` gives it a terminal to ask at.
        let result = try Program.run("timeout", ["10", "script", "-qec", command, "/dev/null"])
        #expect(result.status == 1)
        #expect(result.output.contains("cannot use \(key) for TLS: its key is under a password"), "\(result)")
        #expect(!result.output.contains("pass phrase"), "\(result)")
    }

    /// The program that these tests attack does what it says, also about its certificate.
    @Test func theProgramReloadsAndDrains() async throws {
        let certificates = try TestCertificates()
        let tls = certificates.server("good")
        let server = try EchoProcess(["certificate=\(tls.certificateChainFile)", "key=\(tls.privateKeyFile)"])
        let pin = TLSClientConfiguration(trust: try certificates.pin(of: "good"))
        let endpoint = Endpoint(server.address, isSecure: true)
        let socket = try await WebSocketClient.connect(endpoint, #require(HTTPTarget("/")), tls: pin)
        // The same files, with another certificate in them: what a tool that renews certificates leaves.
        for (name, path) in [("pem", tls.certificateChainFile), ("key", tls.privateKeyFile)] {
            let bytes = try WholeFile.read(certificates.path("other.\(name)"), limit: 1 << 16)
            try WholeFile.write(bytes.span, to: path)
        }
        server.signal(SIGHUP)
        #expect(server.says("reloaded"))
        await #expect(throws: TransportError.tls(.pinMismatch)) {
            try await WebSocketClient.connect(endpoint, #require(HTTPTarget("/")), tls: pin)
        }
        try await socket.send(text: "still here")
        var messages = socket.messages.makeAsyncIterator()
        #expect(await messages.next() == .text("still here"))
        server.signal(SIGTERM)
        #expect(await messages.next() == nil)
        #expect(socket.closing?.code == 1001)
        #expect(server.end().status == 0)
    }
}
