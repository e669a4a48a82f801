/// The parts of a URL (RFC 3986) that an internet password has attributes for.
struct WebAddress: Equatable {
    /// Apple's code of the protocol (`kSecAttrProtocol…`); `nil` where the address names none.
    let protocolCode: String?
    /// The host, in lower case as the DNS compares it; of an IPv6 address without its brackets.
    let server: String
    /// The port, where the address names one.
    let port: Int64?
    /// The path with query and fragment, as they are written; empty for none, and for "/" alone.
    let path: String
    /// Whether the address holds a name or password for its server.
    let hasUserInformation: Bool

    /// Reads an address.
    ///
    /// - Returns: `nil` for one whose protocol has no code, such as `androidapp://`, or that names no server.
    init?(_ text: String) {
        guard text.utf8.count <= AttributeValue.maximumSize else { return nil }
        let bytes = Array(text.utf8)
        // A space or control character is in no address; in a title it may be.
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
        var rest = bytes[...]
        if let colon = bytes.firstRange(of: Array("://".utf8)) {
            let scheme = String(decoding: bytes[..<colon.lowerBound], as: UTF8.self).lowercased()
            guard let code = Self.codes[scheme] else { return nil }
            protocolCode = code
            rest = bytes[colon.upperBound...]
        } else {
            protocolCode = nil
        }
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let path = String(decoding: rest[authority.endIndex...], as: UTF8.self)
        self.path = path == "/" ? "" : path
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        hasUserInformation = at != nil
        let place = at.map { authority[($0 + 1)...] } ?? authority
        guard let (host, port) = Self.hostAndPort(place) else { return nil }
        server = host
        self.port = port
        // Without a protocol "mail" is a title, and "mail.example" a server.
        guard protocolCode != nil || host.contains(".") || host.contains(":") || host == "localhost" else { return nil }
    }

    private static func hostAndPort(_ place: ArraySlice<UInt8>) -> (String, Int64?)? {
        var (host, rest) = (place, place[place.endIndex...])
        if place.first == UInt8(ascii: "[") {
            guard let end = place.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = place[(place.startIndex + 1)..<end]
            rest = place[(end + 1)...]
            guard host.allSatisfy({ $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || isHexadecimal($0) }) else {
                return nil
            }
        } else {
            if let colon = place.firstIndex(of: UInt8(ascii: ":")) {
                host = place[..<colon]
                rest = place[colon...]
            }
            guard host.allSatisfy(isInName) else { return nil }
        }
        guard !host.isEmpty, host.count <= 255 else { return nil }
        let name = String(decoding: host, as: UTF8.self).lowercased()
        guard rest.first == UInt8(ascii: ":") || rest.isEmpty else { return nil }
        let digits = rest.dropFirst()
        if digits.isEmpty { return (name, nil) }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        return (name, Int64(port))
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Character(Unicode.Scalar(byte)).isHexDigit && byte < 0x80
    }

    /// Names outside ASCII are let through: what a browser wrote is what it will look for.
    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "%"), 0x80...:
            true
        default: false
        }
    }

    /// Apple's codes, from `SecItemConstants` (`kSecAttrProtocolHTTPS` and so on).
    static let codes = [
        "ftp": "ftp ", "ftps": "ftps", "http": "http", "https": "htps", "irc": "irc ", "ircs": "ircs", "nntp": "nntp",
        "nntps": "ntps", "pop": "pop3", "pop3": "pop3", "pops": "pops", "pop3s": "pops", "smtp": "smtp",
        "socks": "sox ", "imap": "imap", "imaps": "imps", "ldap": "ldap", "ldaps": "ldps", "afp": "afp ",
        "telnet": "teln", "telnets": "tels", "ssh": "ssh ", "sftp": "ssh ", "smb": "smb ", "cifs": "cifs",
        "rtsp": "rtsp", "daap": "daap", "eppc": "eppc", "ipp": "ipp ", "svn": "svn ",
    ]

    /// The address in one spelling, without a name or password for its server.
    var text: String { Self.text(protocolCode, server, port, path) }

    /// The address of an item; empty where it has no server.
    static func text(of attributes: ItemAttributes) -> String {
        guard let server = attributes.text(.server), !server.isEmpty else { return "" }
        return text(attributes.text(.protocol), server, attributes.number(.port), attributes.text(.path) ?? "")
    }

    private static func text(_ code: String?, _ server: String, _ port: Int64?, _ path: String) -> String {
        let scheme = codes.filter { $0.value == code }.keys.min { ($0.count, $0) < ($1.count, $1) }
        let host = server.contains(":") ? "[\(server)]" : server
        let place = port.map { $0 == 0 ? "" : ":\($0)" } ?? ""
        let slash = path.isEmpty || "/?#".contains(path.prefix(1)) ? "" : "/"
        return (scheme.map { $0 + "://" } ?? "") + host + place + slash + path
    }
}
