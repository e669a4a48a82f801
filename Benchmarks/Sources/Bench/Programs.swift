import Glibc

/// How long the command takes to start, how large the programs are, and what the relay is linked to.
enum Programs {
    private static let starts = 50

    static func figures(mildam: String, relay: String) async throws -> [Figure] {
        func start(_ program: String) -> () throws -> Double {
            {
                let start = nanoseconds()
                _ = try Child.output(of: [program, "--version"])
                return Double(nanoseconds() - start)
            }
        }
        let medians = try await alternating(starts, [start(mildam), start(relay), start("age"), start("true")])
        let peer = ("age --version", medians[2])
        return [
            Figure(
                what: "mildam --version",
                value: medians[0],
                unit: .milliseconds,
                peer: peer,
                goal: .value(atMost: 10_000_000),
                note: "true --version: \(Unit.milliseconds.text(medians[3]))"
            ),
            Figure(what: "mildam-relay --version", value: medians[1], unit: .milliseconds, peer: peer),
            Figure(what: "mildam, size", value: try size(mildam), unit: .megabytes),
            Figure(what: "mildam-relay, size", value: try size(relay), unit: .megabytes),
        ]
    }

    /// The libraries that a program is linked to.
    static func libraries(of program: String) throws -> String {
        try Child.output(of: ["ldd", program]).split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.map { $0.drop { $0 == "\t" } }
        }.joined(separator: " ")
    }

    private static func size(_ path: String) throws -> Double {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw BenchError("no program \(path)") }
        return Double(status.st_size)
    }
}
