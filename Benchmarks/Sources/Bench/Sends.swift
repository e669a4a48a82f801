import MildamIdentity
import MildamRelayAPI
import MildamTransport
import MildamWire

/// Durable acknowledged sends over HTTP keep-alive to a relay process, beside the raw rate of the same rows through
/// SQLite's C interface, on the same file system. Each figure has a store of its own: how long a row takes depends on how
/// many there are.
enum Sends {
    private static let rounds = 5
    private static let time: Int64 = 1_500_000_000
    private static let senders = [1, 8, 64]

    /// - Parameter folder: on the file system that is to be measured; empty.
    static func figures(relay program: String, in folder: String) async throws -> [Figure] {
        func relay(_ name: String) async throws -> RelayUnderLoad {
            try await RelayUnderLoad(program, folder: "\(folder)/\(name)", members: 64)
        }
        var latencies: [Int: [Double]] = [:]

        let behindClient = try await relay("client")
        var runs: [() async throws -> Double] = try [1, 50].map { perCommit in
            let raw = try RawStore("\(folder)/raw-\(perCommit).db", like: behindClient.database)
            return { try raw.rate(perCommit: perCommit, bodySize: RelayUnderLoad.messageSize, for: time) }
        }
        for count in senders {
            let relay = try await relay("senders-\(count)")
            let requests = try relay.members.prefix(count).map { try relay.request(by: $0) }
            runs.append {
                let result = try SocketSenders.run(port: relay.port, requests: requests, for: time)
                latencies[count, default: []] += result.latencies
                return result.rate
            }
        }
        runs.append { try await viaClient(behindClient, senders: 64) }
        let medians = try await alternating(rounds, runs)

        let rawFigures = [
            Figure(what: "raw rows, 1 per commit", value: medians[0], unit: .perSecond),
            Figure(what: "raw rows, 50 per commit", value: medians[1], unit: .perSecond),
        ]
        let sendFigures = senders.enumerated().map { index, count in
            let all = latencies[count] ?? []
            let milliseconds = Unit.milliseconds
            return Figure(
                what: "acknowledged sends, \(count) sender\(count == 1 ? "" : "s")",
                value: medians[2 + index],
                unit: .perSecond,
                peer: count == 1 ? ("raw, 1 per commit", medians[0]) : ("raw, 50 per commit", medians[1]),
                goal: count == 64 ? .ratio(atLeast: 0.8) : nil,
                note: "p50 \(milliseconds.text(all.quantile(0.5))), p99 \(milliseconds.text(all.quantile(0.99)))"
            )
        }
        let client = Figure(
            what: "the same, 64 tasks of HTTPClient",
            value: medians[2 + senders.count],
            unit: .perSecond,
            peer: ("64 bare sockets", medians[1 + senders.count]),
            note: "what this client costs on the same cores"
        )
        return rawFigures + sendFigures + [client]
    }

    private static func viaClient(_ relay: RelayUnderLoad, senders: Int) async throws -> Double {
        var limits = ClientLimits()
        limits.maxConnections = senders
        guard let target = HTTPTarget(Routes.sendToGroup.at(relay.room).path) else { throw BenchError("no path") }
        let client = try HTTPClient(relay.endpoint, limits: limits)
        defer { client.close() }
        let start = nanoseconds()
        let sent = try await withThrowingTaskGroup(of: Int.self) { group in
            for member in relay.members.prefix(senders) {
                group.addTask {
                    let fields: HTTPFields = ["Authorization": "Bearer \(member.token)"]
                    var sent = 0
                    while nanoseconds() - start < time {
                        let body = relay.sending(as: .random()).wireBytes
                        let response = try await client.send(
                            HTTPClientRequest(.post, target, fields: fields, body: body)
                        )
                        guard response.status == 201 else { throw BenchError("a send was answered \(response.status)") }
                        sent += 1
                    }
                    return sent
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(sent) * 1_000_000_000 / Double(nanoseconds() - start)
    }
}
