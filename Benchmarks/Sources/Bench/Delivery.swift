import FoundationEssentials
import Glibc
import MildamRelayAPI

/// How long a message takes to be acknowledged, and to arrive at somebody who listens.
enum Delivery {
    /// Latencies in nanoseconds, from a send's first byte.
    struct Result {
        let rate: Double
        let acknowledged: [Double]
        let delivered: [Double]
    }

    /// The last member listens; the others send.
    static func run(_ relay: RelayUnderLoad, senders count: Int, for time: Int64) throws -> Result {
        guard let listener = relay.members.last else { throw BenchError("nobody listens") }
        let socket = try WebSocketLoad.open(relay.port, path: Routes.socket.path, token: listener.token)
        let next = relay.messages + 1
        let subscribe = try JSONEncoder().encode(LiveRequest.subscribe(room: relay.room, from: UInt64(next)))
        try Volley.write(WebSocketLoad.frame(Array(subscribe)), to: socket)
        let sockets = try (0..<count).map { _ in try Volley.connect(relay.port) }
        defer { for socket in sockets + [socket] { close(socket) } }

        var requests = try (0..<count).map { index in
            try relay.request(by: relay.members[index % (relay.members.count - 1)])
        }
        var ids = IDSource()
        var sentAt = [Int64](repeating: 0, count: count)
        var sentAtByNumber: [Int: Int64] = [:]
        var arrivals: [Int64] = []
        var frames = FrameCounter()
        let result = try Volley.run(sockets, listeners: [socket], for: time) { index in
            ids.write(into: &requests[index].bytes, at: requests[index].id)
            sentAt[index] = nanoseconds()
            return requests[index].bytes
        } took: { index, bytes, now in
            guard index < count else {
                for _ in 0..<frames.take(bytes) { arrivals.append(now) }
                return true
            }
            guard bytes.starts(with: "HTTP/1.1 201".utf8), let number = number(in: bytes) else {
                throw BenchError("a send failed: \(String(decoding: bytes, as: UTF8.self))")
            }
            sentAtByNumber[number] = sentAt[index]
            return true
        }
        // The stream has the room's numbers in their order.
        let delivered = arrivals.enumerated().compactMap { place, arrival in
            sentAtByNumber[next + place].map { Double(arrival - $0) }
        }
        return Result(rate: result.rate, acknowledged: result.latencies, delivered: delivered)
    }

    /// The number in a receipt, `{"number":N}`, with which the answer ends.
    private static func number(in answer: ArraySlice<UInt8>) -> Int? {
        let digits = answer.dropLast().reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int(String(decoding: digits.reversed(), as: UTF8.self))
    }
}
