import TestSupport

/// Requests one behind the other, some of them damaged, for a comparison of parsers.
struct RequestStreams {
    var generator: SeededGenerator

    /// A few requests, as a client might send them, then perhaps changed in a few places.
    mutating func next() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<pick([1, 1, 2, 3, 4]) { bytes += request() }
        if chance(60) { for _ in 0..<pick([1, 1, 1, 2, 3]) { damage(&bytes) } }
        if chance(5) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator)) }
        return bytes
    }

    private mutating func request() -> [UInt8] {
        var bytes: [UInt8] = chance(5) ? Array("\r\n".utf8) : []
        let odd = chance(6)
        let target =
            odd
            ? pick([
                "*", "http://a/", "HTTPS://[::1]:4/b?c", "http://a?b", "http://a", "http://u@a/", "http://", "a",
                "/\u{E9}", "/a b",
            ])
            : pick(["/", "/v1/rooms", "/a%20b?c=d&e", "//x;y", "/?", "/a?b?c", "/~!$&'()*+,=:@"])
        let version =
            odd ? pick(["1.1", "1.2", "2.0"]) : pick(["1.1", "1.1", "1.1", "1.1", "1.1", "1.1", "1.1", "1.0"])
        let method =
            odd
            ? pick(["BREW", "get", "CONNECT", "OPTIONS"])
            : pick(["GET", "GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH"])
        bytes += Array("\(method) \(target) HTTP/\(version)\r\n".utf8)
        var fields = [pick(["Host: a", "Host: a", "host:a:80", "HOST: [::1]:8080", "Host: b.example \t"])]
        for _ in 0..<pick([0, 1, 2, 3]) { fields.append(field()) }
        let content = generator.bytes(pick([0, 1, 5, 40, 300]))
        let framing = chance(5) ? 3 : pick([0, 0, 1, 1, 2, 2])
        switch framing {
        case 1: fields.append("Content-Length: \(content.count)")
        case 2: fields.append(pick(["Transfer-Encoding: chunked", "transfer-encoding:Chunked"]))
        case 3:
            fields.append(pick(["Content-Length: 5", "Transfer-Encoding: chunked"]))
            fields.append(pick(["Content-Length: 5", "Transfer-Encoding: gzip, chunked", "Content-Length: 05"]))
        default: break
        }
        fields.shuffle(using: &generator)
        bytes += Array((fields.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        if framing == 1 { bytes += content }
        if framing == 2 { bytes += chunked(content) }
        if framing == 3 { bytes += Array("5\r\nhello\r\n0\r\n\r\n".utf8) }
        return bytes
    }

    private mutating func field() -> String {
        // After either of these the connection's next bytes are no request.
        guard !chance(6) else { return pick(["Connection: x, Close", "Connection: Upgrade\r\nUpgrade: websocket"]) }
        return pick([
            "X: y", "X-Empty:", "Accept:\t*/*", "X: a  b\t", "Connection: keep-alive", "X: \u{E9}\u{1F600}",
            "Expect: 100-continue", "Cookie: a=b; c=d", "!#$%&'*+-.^_`|~09aZ: token",
            "Authorization: Bearer abc", "X: \"quoted\"", "Trailer: Y",
            "Content-Type: a/b", "X: :", "X:: y",
        ])
    }

    private mutating func chunked(_ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            let size = Int.random(in: 1...rest.count, using: &generator)
            let digits = String(size, radix: 16, uppercase: chance(50))
            bytes += Array(
                (pick(["", "", "0", "000"]) + digits + pick(["", "", ";a", ";a=\"b c\"", ";"]) + "\r\n").utf8
            )
            bytes += rest.prefix(size) + [0x0D, 0x0A]
            rest = rest.dropFirst(size)
        }
        let trailers = pick(["", "", "Y: z\r\n", "Y:\r\nZ: 1\r\n"])
        return bytes + Array((pick(["0", "00", "0;x"]) + "\r\n" + trailers + "\r\n").utf8)
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, position + pick([1, 2, 4, 16]))
        switch Int.random(in: 0..<7, using: &generator) {
        case 4:
            // A line's end: what is laid down most strictly of all, and most often read leniently.
            guard let end = bytes[position...].firstIndex(of: 0x0D) else { return }
            let other = pick([[], [0x0A], [0x20], [0x58], [0x0D, 0x0D], [0x00]] as [[UInt8]])
            bytes.replaceSubrange(end...end, with: other)
        case 0: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(position..<end)
        case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
        default: bytes.insert(contentsOf: Array(snippet().utf8), at: place(in: bytes, near: position))
        }
    }

    /// Half of the time the start of a line, where most of the rules are.
    private mutating func place(in bytes: [UInt8], near position: Int) -> Int {
        guard chance(50), let end = bytes[position...].firstIndex(of: 0x0A) else { return position }
        return end + 1
    }

    private mutating func snippet() -> String {
        pick([
            "\r\n", "\n", "\r", " ", "\t", ":", ";", ",", "\0", "\u{B}", "\u{7F}", "\u{85}", "+", "-", "_", "0", "0x",
            "1",
            "f", "\r\n\r\n", "\n\n", "\r\n ", "\r\n\t", "Content-Length: 3\r\n", "Content-Length: 0\r\n",
            "Content-Length : 3\r\n", "content-length: +3\r\n", "Transfer-Encoding: chunked\r\n",
            "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: identity\r\n", " folded\r\n", "Host: b\r\n",
            "0\r\n\r\n", "3\r\nabc\r\n", "GET / HTTP/1.1\r\nHost: c\r\n\r\n", "HTTP/1.1", "Connection: close\r\n",
        ])
    }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
}
