/// Where a server is: a scheme, a host and a port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A DNS name or a numeric address, without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: UInt16
    /// Whether the server is reached over TLS.
    public let isSecure: Bool

    /// Reads "http://host", "https://host:port" or "http://[::1]:8080", strictly: a lower-case scheme, no user, no path
    /// but "/", no query. `ws` and `wss` are read as `http` and `https`. The ports are 80 and 443 unless named.
    public init?(_ text: String) {
        guard let colon = text.range(of: "://") else { return nil }
        switch text[..<colon.lowerBound] {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: return nil
        }
        var rest = text[colon.upperBound...]
        if rest.utf8.last == UInt8(ascii: "/") { rest.removeLast() }
        var portText: Substring?
        let name: Substring
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            name = rest[rest.index(after: rest.startIndex)..<end]
            let tail = rest[rest.index(after: end)...]
            guard name.utf8.contains(UInt8(ascii: ":")), SocketAddress(ip: String(name), port: 0) != nil,
                tail.isEmpty || tail.utf8.first == UInt8(ascii: ":")
            else { return nil }
            portText = tail.isEmpty ? nil : tail.dropFirst()
        } else {
            let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { return nil }
            name = parts[0]
            portText = parts.count == 2 ? parts[1] : nil
            guard Self.isName(name) else { return nil }
        }
        if let portText {
            guard (1...5).contains(portText.utf8.count), portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(portText), number > 0
            else { return nil }
            port = number
        } else {
            port = isSecure ? 443 : 80
        }
        host = String(name)
    }

    /// Names an address.
    public init(_ address: SocketAddress, isSecure: Bool = false) {
        host = address.ipText
        port = address.port
        self.isSecure = isSecure
    }

    /// "https://host:port".
    public var description: String { "\(isSecure ? "https" : "http")://\(bracketedHost):\(port)" }

    /// The Host field's value; the port is left out where it is the scheme's own.
    var authority: String {
        port == (isSecure ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)"
    }

    private var bracketedHost: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    /// Letters, digits, hyphens and dots, at most 253 bytes (RFC 1123, section 2.1); or digits and dots.
    private static func isName(_ name: Substring) -> Bool {
        (1...253).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy(HTTPBytes.isNameByte)
    }
}

extension String {
    /// Where `other` first stands.
    fileprivate func range(of other: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
            formIndex(after: &start)
        }
        return nil
    }
}
