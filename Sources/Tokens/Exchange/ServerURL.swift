import MildamTransport

/// The address of something of a server: `https`, or `http` on this very machine.
///
/// It is read strictly, so that libcurl and this program see the same host in it: ASCII without spaces, no user, no
/// fragment, a host that is a name or a literal address. "On this machine" is a literal address of 127.0.0.0/8 or ::1, or
/// `localhost`, which libcurl looks up nowhere.
public struct ServerURL: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes: 2,048.
    public static let maximumSize = 2048

    /// As it was given.
    public let description: String
    /// Scheme, host in lower case, and the port where it is not the scheme's own: "https://example.org:8443".
    public let origin: String
    /// Whether it is on this machine, so that it may be without TLS.
    public let isLoopback: Bool
    /// The port, which is the scheme's own where none was given.
    public let port: UInt16
    /// From where it can be reached, as far as it says.
    let reach: Reach
    /// The path, from its "/" on; empty where there is none.
    public let path: String
    /// What stands behind the "?"; `nil` without one.
    public let query: String?

    /// Reads an address; `nil` for any that is not as above.
    public init?(_ text: String) {
        guard text.utf8.count <= ServerURL.maximumSize, text.utf8.allSatisfy({ ServerURL.isPlain($0) }) else {
            return nil
        }
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let (host, port) = ServerURL.authority(rest[..<end]) else { return nil }
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        isLoopback = host == "localhost" || SocketAddress(ip: literal, port: 0)?.isLoopback == true
        guard isSecure || isLoopback else { return nil }
        let ownPort: UInt16 = isSecure ? 443 : 80
        self.port = port ?? ownPort
        reach = Reach(of: literal)
        let suffix = port.map { $0 == ownPort ? "" : ":\($0)" } ?? ""
        origin = "\(isSecure ? "https" : "http")://\(host)\(suffix)"
        let parts = rest[end...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.count > 1 ? String(parts[1]) : nil
        description = text
    }

    /// Whether it is `https`.
    public var isSecure: Bool { origin.hasPrefix("https:") }

    /// The address without query: what a DPoP proof is for (`htu`; RFC 9449, section 4.2).
    public var withoutQuery: String { origin + path }

    /// The same with more parameters in its query.
    ///
    /// - Returns: `nil` when it becomes too long.
    public func adding(query more: String) -> ServerURL? {
        ServerURL(origin + path + "?" + [query, more].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "&"))
    }

    /// What RFC 3986 lets stand in an address, but for "#", which begins a fragment; "@" stands in no host here.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x24...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E: true
        default: false
        }
    }

    /// The host in lower case and the port, of "host", "host:port" or "[address]:port".
    private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        let behind = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[behind...].lastIndex(of: ":") {
            let digits = text[text.index(after: colon)...]
            guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(digits), number > 0
            else { return nil }
            port = number
            host = text[..<colon]
        }
        let name = host.lowercased()
        guard !name.hasPrefix("[") else {
            guard name.hasSuffix("]"), let address = SocketAddress(ip: String(name.dropFirst().dropLast()), port: 0),
                address.ip.count == 16
            else { return nil }
            return (name, port)
        }
        let isName = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
        guard isName, (1...253).contains(name.utf8.count), !name.hasPrefix("."), !name.contains("..") else {
            return nil
        }
        return (name, port)
    }
}
