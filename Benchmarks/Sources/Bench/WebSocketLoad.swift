import Glibc
import MildamSystem

/// WebSockets that cost next to nothing: the handshake and masked frames as fixed bytes.
enum WebSocketLoad {
    /// Opens one.
    static func open(
        _ port: UInt16,
        path: String,
        token: String? = nil,
        source: UInt8 = 1
    ) throws -> Int32 {
        let socket = try Volley.connect(port, source: source)
        var head = """
            GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n
            """
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        try Volley.write(Array((head + "\r\n").utf8), to: socket)
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        while !answer.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard answer.count < 4096, unsafe read(socket, &byte, 1) == 1 else { break }
            answer.append(byte)
        }
        guard answer.starts(with: "HTTP/1.1 101".utf8) else {
            throw BenchError("no WebSocket: \(String(decoding: answer, as: UTF8.self))")
        }
        return socket
    }

    /// A text frame as a client sends it, with a mask of zeros; at most 65,535 bytes.
    static func frame(_ text: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            text.count < 126 ? [0x80 | UInt8(text.count)] : [0xFE, UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
        return [0x81] + length + [0, 0, 0, 0] + text
    }

    /// Sends `size` bytes on each socket, and again when they have come back, for about `time` nanoseconds.
    static func echo(_ sockets: [Int32], size: Int, for time: Int64) throws -> Volley.Result {
        let frame = frame([UInt8](repeating: UInt8(ascii: "x"), count: size))
        // The same without the mask.
        let expected = frame.count - 4
        var received = [Int](repeating: 0, count: sockets.count)
        return try Volley.run(sockets, for: time) { _ in
            frame
        } took: { index, bytes, _ in
            received[index] += bytes.count
            guard received[index] >= expected else { return false }
            received[index] -= expected
            return true
        }
    }
}

/// Counts the frames of a server's stream.
struct FrameCounter {
    private var rest: [UInt8] = []

    /// - Returns: how many frames `bytes` complete.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> Int {
        rest.append(contentsOf: bytes)
        var position = 0
        var frames = 0
        while rest.count - position >= 2 {
            var size = Int(rest[position + 1] & 0x7F)
            var header = 2
            if size == 126 {
                guard rest.count - position >= 4 else { break }
                size = Int(rest[position + 2]) << 8 | Int(rest[position + 3])
                header = 4
            } else if size == 127 {
                guard rest.count - position >= 10 else { break }
                size = rest[position + 2..<position + 10].reduce(0) { $0 << 8 | Int($1) }
                header = 10
            }
            guard rest.count - position >= header + size else { break }
            position += header + size
            frames += 1
        }
        rest.removeFirst(position)
        return frames
    }
}
