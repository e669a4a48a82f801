import Foundation
import MildamTransport
import TestSupport
import Testing

/// Each attack runs against a relay that somebody uses, and against a second one that nobody does. What the first costs its
/// user more than the second is the relay's doing, and not that of a machine that both share.
///
/// The full counts are those of programs as they are released (Scripts/prove.d/17-cost); elsewhere a moment of an attack
/// shows that honest answers are right and come.
@Suite("Attacks on what a relay has: others are served as before", .enabled(if: PythonPeer.isExpected))
struct CostTests {
    private static let isFull = Build.isOptimised && ProcessInfo.processInfo.environment["MILDAM_PROVE"] != nil

    /// The attacks of each family, the one that was found first: it takes longest.
    private static let families = [
        [
            "tls-ffdhe", "tls-half", "tls-kept", "tls-dropped", "tls-ffdhe-many", "tls-closed-many", "tls-half-many",
            "tls-kept-many", "tls-dropped-many",
        ],
        ["turns-reads", "turns-slow", "turns-network", "turns-rooms", "turns-bodies", "turns-kept"],
        ["disk-commits", "disk-keys", "disk-group-infos", "disk-messages", "disk-rooms", "disk-blobs"],
        ["json-duplicates", "json-deep", "json-names", "json-strangers"],
        ["login-wrong", "login-salts", "login-refresh", "login-network"],
        ["mailbox-stranger", "mailbox-large", "mailbox-rooms", "mailbox-network"],
    ]

    /// An attack on a relay.
    struct Run: CustomTestStringConvertible {
        let attack: String
        /// One of each family meets a relay without rates, so that turns are seen to hold by themselves; over TLS, as it would
        /// come from afar: it is slower, and the bystander's handshakes are measured beside it.
        var limitsRates = true

        var isTLS: Bool { attack.hasPrefix("tls-") || !limitsRates }
        /// Whether it is the attack as it was found.
        var isFirst: Bool { limitsRates && families.contains { $0.first == attack } }
        var testDescription: String { limitsRates ? attack : attack + " over TLS without rates" }

        /// How long the attack lasts, in seconds.
        var length: Double { isFull ? (isFirst ? 30 : 10) : 0.5 }
        /// How long to measure while it runs against the second relay: as much as a p99 asks for; 0 for not at all.
        var beside: Double { isFull ? 8 : 0 }
        /// How long to measure before it and after it.
        var quiet: Double { isFull ? (isFirst ? 2 : 0.5) : 0.2 }
    }

    /// The first of TLS's costs nothing where it is refused; one that is worked at tells more.
    private static let withoutRates = ["tls-half"] + families.dropFirst().map { $0[0] }

    private static let runs =
        isFull
        ? families.flatMap(\.self).map { Run(attack: $0) } + withoutRates.map { Run(attack: $0, limitsRates: false) }
        : ["tls-ffdhe", "tls-half-many", "turns-reads", "disk-commits", "json-duplicates", "mailbox-stranger"]
            .map { Run(attack: $0) } + [Run(attack: "login-wrong", limitsRates: false)]

    /// What the bystander tells of one phase: by what it did.
    private struct Measured: Decodable {
        let count: Int
        let p50: Double
        let p99: Double
        let slowest: Double
    }

    private struct Told: Decodable {
        let before: [String: Measured]
        let beside: [String: Measured]?
        let under: [String: Measured]
        let after: [String: Measured]
        /// What the attacker did and was answered, by status.
        let answers: [String: Int]
        /// What was wrong with an honest answer.
        let wrong: [String]
    }

    private static func peer(_ name: String) -> String { Vectors.packageFolder + "/Tests/Peers/" + name }

    @Test("the attacks are those of the program that attacks")
    func all() throws {
        let result = try Program.run("/usr/bin/python3", [Self.peer("cost_attacks.py"), "list"])
        #expect(result.output.split(separator: "\n").map(String.init) == Self.families.flatMap(\.self), "\(result)")
        #expect(Self.families.allSatisfy { $0.count >= 4 }, "as it was found, and three variants")
    }

    @Test("the bystander's answers are right; its p99 stays within three times what it is beside", arguments: runs)
    func attack(_ run: Run) throws {
        var told = try measure(run)
        // A moment that is the machine's own does not come twice.
        if Self.isFull, !Self.isServed(told) { told = try measure(run) }
        #expect(told.wrong.isEmpty, "\(told.wrong)")
        #expect(told.answers.values.reduce(0, +) > 0, "there was no attack")
        for phase in [told.before, told.under, told.after] {
            #expect(Set(phase.keys) == ["send", "read", "connect"] && phase.values.allSatisfy { $0.count > 0 })
        }
        if Self.isFull { #expect(Self.isServed(told), "\(run.testDescription)") }
    }

    private static func isServed(_ told: Told) -> Bool {
        told.under.allSatisfy { kind, under in told.beside?[kind].map { under.p99 <= 3 * $0.p99 } ?? false }
    }

    private func measure(_ run: Run) throws -> Told {
        let folder = try TemporaryFolder()
        let used = try relay(in: folder, called: "used", for: run)
        defer { used.program.signal(SIGKILL) }
        let idle = try relay(in: folder, called: "idle", for: run)
        defer { idle.program.signal(SIGKILL) }
        func place(_ port: Int) -> [String: Any] { ["port": port, "tls": run.isTLS] }
        let order: [String: Any] = [
            "relay": place(used.port), "idle": place(idle.port), "attack": run.attack,
            "connections": Self.isFull ? 16 : 4, "source": "127.0.0.7", "quiet": run.quiet, "seconds": run.length,
            "beside": run.beside,
        ]
        let input = String(decoding: try JSONSerialization.data(withJSONObject: order), as: UTF8.self)
        let bystander = try Program("/usr/bin/python3", [Self.peer("cost_bystander.py")], input: input)
        defer { bystander.signal(SIGKILL) }
        let result = bystander.wait()
        try #require(result.status == 0, "\(result)")
        let told = try JSONDecoder().decode(Told.self, from: Data(result.output.utf8))
        if Self.isFull { Self.say(told, of: run.testDescription) }
        return told
    }

    private static func say(_ told: Told, of name: String) {
        func milliseconds(_ phase: [String: Measured]?, _ kind: String) -> String {
            phase?[kind].map { "\(($0.p99 * 10_000).rounded() / 10)" } ?? "-"
        }
        for kind in ["read", "send", "connect"] {
            print(
                "figure: cost of \(name): \(kind) p99 in ms \(milliseconds(told.before, kind)) before,",
                "\(milliseconds(told.beside, kind)) beside, \(milliseconds(told.under, kind)) under,",
                "\(milliseconds(told.after, kind)) after"
            )
        }
        let answers = told.answers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        print("figure: cost of \(name): the attacker's answers", answers.joined(separator: ", "))
    }

    private func relay(
        in folder: TemporaryFolder,
        called name: String,
        for run: Run
    ) throws -> (program: Program, port: Int) {
        var arguments = ["serve", "--data", folder.file(name), "--listen", "127.0.0.1:0"]
        // The bystander says more than a person does, and so may the attacker.
        arguments += run.limitsRates ? ["--messages", "100000000", "--message-bytes", "1G"] : ["--no-rate-limits"]
        if run.isTLS {
            let (certificate, key) = (folder.file("\(name).pem"), folder.file("\(name).key"))
            let made = try Program.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=\(name)", "-days", "2", "-keyout",
                    key,
                    "-out", certificate,
                ]
            )
            try #require(made.status == 0, "\(made)")
            arguments += ["--certificate", certificate, "--key", key]
        }
        let program = try Program("mildam-relay", arguments)
        // "listening on URL  relay ID"
        guard let line = program.line(containing: "listening on"),
            let endpoint = Endpoint(String(line.split(separator: " ")[2]))
        else {
            program.signal(SIGKILL)
            throw TransportError.invalid("\(program.wait())")
        }
        return (program, Int(endpoint.port))
    }
}
