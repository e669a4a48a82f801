import FoundationEssentials
import Glibc
import MildamCrypto
import MildamRelayAPI
import MildamSystem
import MildamTransport

/// The transport, and the relay over it: requests and echoes a second, memory of an idle connection, handshakes, and how
/// long a message takes. Server and load have a core each.
enum Serving {
    private static let rounds = 5
    private static let time: Int64 = 1_500_000_000
    private static let active = 50
    private static let idle = 5_000
    private static let secured = 1_500
    private static let size = 200

    /// - Parameters:
    ///   - programs: where `mildam-relay` and `mildam-echo` are.
    ///   - folder: for the relays' data; empty.
    static func figures(programs: String, in folder: String) async throws -> [Figure] {
        try Cores.moveToSecond()
        return try await requests(programs, folder) + (try await echoes(programs))
            + (try await memory(programs, folder))
            + (try await handshakes(programs, folder)) + (try await delivery(programs, folder))
    }

    // MARK: Requests and echoes

    private static func requests(_ programs: String, _ folder: String) async throws -> [Figure] {
        let relay = try await RelayUnderLoad(
            programs + "/mildam-relay",
            folder: folder + "/live",
            members: 1,
            pinned: true
        )
        let rate = try await alternating(rounds, [{ try wrk("http://\(relay.authority)/live") }])[0]
        return [
            Figure(
                what: "GET /live, wrk -t1 -c50",
                value: rate,
                unit: .perSecond,
                goal: .rate(atLeast: 80_000)
            )
        ]
    }

    private static func wrk(_ url: String) throws -> Double {
        let text = try Child.output(of: Cores.second(["wrk", "-t1", "-c\(active)", "-d2s", url]))
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
            let rate = line.split(separator: " ").last.flatMap({ Double($0) }), !text.contains("Non-2xx")
        else { throw BenchError("wrk said: \(text)") }
        return rate
    }

    private static func echoes(_ programs: String) async throws -> [Figure] {
        let (quiet, crowded) = (try EchoServer(programs), try EchoServer(programs))
        let sockets = try (0..<active).map { _ in try WebSocketLoad.open(quiet.port, path: "/") }
        let beside = try (0..<active).map { _ in try WebSocketLoad.open(crowded.port, path: "/") }
        let others = try (0..<idle).map { _ in try WebSocketLoad.open(crowded.port, path: "/") }
        defer { for socket in sockets + beside + others { close(socket) } }
        let medians = try await alternating(
            rounds,
            [
                { try WebSocketLoad.echo(sockets, size: size, for: time).rate },
                { try WebSocketLoad.echo(beside, size: size, for: time).rate },
            ]
        )
        return [
            Figure(
                what: "echoes of \(size) B, \(active) WebSockets",
                value: medians[0],
                unit: .perSecond,
                goal: .rate(atLeast: 120_000)
            ),
            Figure(
                what: "the same beside \(idle) idle ones",
                value: medians[1],
                unit: .perSecond,
                peer: ("none idle", medians[0]),
                goal: .ratio(atLeast: 2.0 / 3)
            ),
        ]
    }

    // MARK: Memory

    private static func memory(_ programs: String, _ folder: String) async throws -> [Figure] {
        let relay = try await RelayUnderLoad(
            programs + "/mildam-relay",
            folder: folder + "/idle",
            members: 100,
            pinned: true
        )
        let subscribe = try JSONEncoder().encode(LiveRequest.subscribe(room: relay.room, from: 1_000_000))
        let frame = WebSocketLoad.frame(Array(subscribe))
        func open(_ count: Int) throws -> [Int32] {
            try (0..<count).map { index in
                let token = relay.members[index % relay.members.count].token
                let socket = try WebSocketLoad.open(relay.port, path: Routes.socket.path, token: token)
                try Volley.write(frame, to: socket)
                return socket
            }
        }
        // What the first ones take is taken once.
        let first = try open(500)
        sleep(2)
        let before = relay.residentBytes
        let rest = try open(idle)
        sleep(2)
        let each = Double(relay.residentBytes - before) / Double(idle)
        for socket in first + rest { close(socket) }
        return [
            Figure(
                what: "memory of an idle connection, subscribed",
                value: each,
                unit: .bytes,
                goal: .value(atMost: 2_048)
            ),
            Figure(
                what: "the same with TLS",
                value: try await secureMemory(programs, folder),
                unit: .bytes,
                goal: .value(atMost: 18 * 1_024)
            ),
        ]
    }

    private static func secureMemory(_ programs: String, _ folder: String) async throws -> Double {
        let relay = try await RelayUnderLoad(
            programs + "/mildam-relay",
            folder: folder + "/idle-tls",
            members: 40,
            pinned: true,
            certificate: try TestCertificate(in: folder)
        )
        guard let target = HTTPTarget(Routes.socket.path) else { throw BenchError("no path") }
        let subscribe = String(
            decoding: try JSONEncoder().encode(LiveRequest.subscribe(room: relay.room, from: 1_000_000)),
            as: UTF8.self
        )
        var sockets: [WebSocketConnection] = []
        func open(_ count: Int) async throws {
            for _ in 0..<count {
                let member = relay.members[sockets.count % relay.members.count]
                let fields: HTTPFields = ["Authorization": "Bearer \(member.token)"]
                let socket = try await WebSocketClient.connect(relay.endpoint, target, fields: fields, tls: relay.tls)
                try await socket.send(text: subscribe)
                sockets.append(socket)
            }
        }
        try await open(500)
        sleep(2)
        let before = relay.residentBytes
        try await open(secured)
        sleep(2)
        let each = Double(relay.residentBytes - before) / Double(secured)
        for socket in sockets { socket.close() }
        return each
    }

    // MARK: Handshakes

    private static func handshakes(_ programs: String, _ folder: String) async throws -> [Figure] {
        let certificate = try TestCertificate(in: folder)
        let server = try EchoServer(programs, ["certificate=\(certificate.file)", "key=\(certificate.key)"])
        let peer = try Child(
            Cores.first([
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.file, "-key", certificate.key,
                "-www", "-tls1_3",
                "-naccept",
                "100000000",
            ])
        )
        defer { peer.stop() }
        // "ACCEPT 127.0.0.1:PORT"
        var port: Substring?
        while port == nil {
            let line = try peer.line()
            if line.hasPrefix("ACCEPT") { port = line.split(separator: ":").last }
        }
        let addresses = ["127.0.0.1:\(server.port)", "127.0.0.1:\(port ?? "")"]
        let medians = try await alternating(rounds, addresses.map { address in { try handshakeRate(address) } })
        return [
            Figure(
                what: "full TLS 1.3 handshakes, P-256",
                value: medians[0],
                unit: .perSecond,
                peer: ("openssl s_server", medians[1]),
                goal: .ratio(atLeast: 0.8)
            )
        ]
    }

    private static func handshakeRate(_ address: String) throws -> Double {
        let start = nanoseconds()
        let text = try Child.output(
            of: Cores.second(["openssl", "s_time", "-connect", address, "-new", "-time", "2", "-tls1_3"])
        )
        let taken = Double(nanoseconds() - start) / 1_000_000_000
        // "N connections in S real seconds, …"; its seconds are whole ones.
        guard let line = text.split(separator: "\n").first(where: { $0.contains(" connections in ") }),
            let count = line.split(separator: " ").first.flatMap({ Double($0) })
        else { throw BenchError("openssl s_time said: \(text)") }
        return count / taken
    }

    // MARK: Delivery

    private static func delivery(_ programs: String, _ folder: String) async throws -> [Figure] {
        var figures: [Figure] = []
        for senders in [1, 8, 64, 512] {
            let relay = try await RelayUnderLoad(
                programs + "/mildam-relay",
                folder: "\(folder)/delivery-\(senders)",
                members: min(senders, 64) + 1,
                pinned: true
            )
            let run = try Delivery.run(relay, senders: senders, for: 2 * time)
            let milliseconds = Unit.milliseconds
            figures.append(
                Figure(
                    what: "acknowledged and delivered, \(senders) sender\(senders == 1 ? "" : "s")",
                    value: run.rate,
                    unit: .perSecond,
                    note: "acknowledged p50 \(milliseconds.text(run.acknowledged.quantile(0.5))), "
                        + "p99 \(milliseconds.text(run.acknowledged.quantile(0.99))); "
                        + "delivered p50 \(milliseconds.text(run.delivered.quantile(0.5))), "
                        + "p99 \(milliseconds.text(run.delivered.quantile(0.99)))"
                )
            )
        }
        return figures
    }
}

/// A certificate for 127.0.0.1 that signs itself.
struct TestCertificate {
    let file: String
    let key: String

    /// Makes one, or takes the one that is there.
    init(in folder: String) throws {
        (file, key) = (folder + "/certificate.pem", folder + "/key.pem")
        guard !WholeFile.exists(file) else { return }
        _ = try Child.output(of: [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", file,
        ])
    }
}

/// An echo server as a process of its own, on the first core.
final class EchoServer {
    let port: UInt16
    private let process: Child

    init(_ programs: String, _ settings: [String] = []) throws {
        process = try Child(Cores.first([programs + "/mildam-echo"] + settings))
        // "listening on 127.0.0.1:PORT"
        let line = try process.line()
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw BenchError("the echo server said: \(line)")
        }
        self.port = port
    }

    deinit { process.stop() }
}
