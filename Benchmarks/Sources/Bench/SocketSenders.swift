import Glibc

/// Senders of messages: a socket each, and one request each, of which only the id changes.
struct SocketSenders {
    private struct Sender {
        var request: [UInt8]
        let id: Int
    }

    /// Runs for about `time` nanoseconds.
    ///
    /// - Parameter requests: each sender's, and where its id stands.
    static func run(port: UInt16, requests: [(bytes: [UInt8], id: Int)], for time: Int64) throws -> Volley.Result {
        let sockets = try requests.map { _ in try Volley.connect(port) }
        defer { for socket in sockets { close(socket) } }
        var senders = requests.map { Sender(request: $0.bytes, id: $0.id) }
        var ids = IDSource()
        return try Volley.run(sockets, for: time) { index in
            ids.write(into: &senders[index].request, at: senders[index].id)
            return senders[index].request
        } took: { _, bytes, _ in
            // A receipt is so short that it comes in one piece.
            guard bytes.starts(with: "HTTP/1.1 201".utf8) else {
                throw BenchError("a send failed: \(String(decoding: bytes, as: UTF8.self))")
            }
            return true
        }
    }
}

/// Fresh message ids, spread as drawn ones are (SplitMix64): 16 bytes.
struct IDSource {
    private var state: UInt64

    init() {
        var generator = SystemRandomNumberGenerator()
        state = generator.next()
    }

    /// Writes the next one over 16 bytes of a request.
    mutating func write(into request: inout [UInt8], at position: Int) {
        for half in 0..<2 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            bits ^= bits >> 31
            for place in 0..<8 {
                request[position + 8 * half + place] = UInt8(truncatingIfNeeded: bits)
                bits >>= 8
            }
        }
    }
}
