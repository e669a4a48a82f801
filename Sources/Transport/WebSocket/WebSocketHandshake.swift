/// The upgrade from HTTP (RFC 6455, section 4).
enum WebSocketHandshake {
    private static let version = "13"
    private static let magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The key of a well-formed upgrade request (section 4.2.1).
    static func key(of head: HTTPRequestHead) throws(HTTPViolation) -> String {
        guard head.method == .get, head.framing == .none || head.framing == .length(0) else { throw .upgrade }
        guard head.fields["Sec-WebSocket-Version"] == version else { throw .upgradeVersion }
        guard let key = head.fields["Sec-WebSocket-Key"], isKey(key) else { throw .upgrade }
        return key
    }

    /// The server's answer that accepts.
    static func acceptance(of key: String) -> [UInt8] {
        Array(
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(accept(of: key))\r
            \r\n
            """.utf8
        )
    }

    /// What the server must answer to `key`.
    static func accept(of key: String) -> String {
        Base64.encode(Digests.sha1(Array((key + magic).utf8)))
    }

    /// A fresh key: 16 random bytes in base64.
    static func newKey() -> String { Base64.encode(Digests.random(16)) }

    /// The request's own fields; `nil` when one of the caller's is not valid.
    static func request(target: HTTPTarget, host: String, key: String, fields: HTTPFields) -> [UInt8]? {
        var bytes = Array(
            """
            GET \(target) HTTP/1.1\r
            Host: \(host)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: \(version)\r
            Sec-WebSocket-Key: \(key)\r\n
            """.utf8
        )
        let ours = ["Host", "Upgrade", "Sec-WebSocket-Version", "Sec-WebSocket-Key", "Sec-WebSocket-Extensions"]
        guard ours.allSatisfy({ fields.values(of: $0).isEmpty }), HTTPEncoder.append(fields, to: &bytes) else {
            return nil
        }
        bytes.append(contentsOf: "\r\n".utf8)
        return bytes
    }

    /// Whether a 101 is the right answer to `key` (section 4.1).
    static func isAccepted(_ head: HTTPResponseHead, key: String) -> Bool {
        head.fields.contains("websocket", in: "Upgrade") && head.fields.contains("upgrade", in: "Connection")
            && head.fields["Sec-WebSocket-Accept"] == accept(of: key) && head.framing == .none
            && head.fields.values(of: "Sec-WebSocket-Extensions").isEmpty
            && head.fields.values(of: "Sec-WebSocket-Protocol").isEmpty
    }

    /// 24 base64 characters that stand for 16 bytes: the 22nd has only its two highest bits.
    private static func isKey(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        return bytes.count == 24 && bytes.suffix(2) == [UInt8(ascii: "="), UInt8(ascii: "=")][...]
            && bytes.prefix(22).allSatisfy(Base64.alphabet.contains)
            && "AQgw".utf8.contains(bytes[21])
    }
}

/// Base64 with padding (RFC 4648, section 4), written only.
enum Base64 {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[word >> (18 - 6 * index) & 0x3F] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
