import MildamTransport

/// From where a request comes.
enum ClientAddress {
    /// An address and the blanks around it.
    private static let longestAddress = 128

    /// The other end of the connection; behind a proxy on this machine, if there is said to be one, the address that
    /// it names. Only the last address that it names counts: those before it are the client's own words.
    static func of(_ request: HTTPRequest, behindProxy: Bool) -> SocketAddress {
        guard behindProxy, request.peer.isLoopback,
            let field = request.fields.values(of: "X-Forwarded-For").last,
            // Byte by byte: what stands before the last address is the client's, and may be anything.
            let last = field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).last,
            last.count <= longestAddress,
            let address = SocketAddress(ip: String(Substring(last)).trimmingSpaces, port: 0)
        else { return request.peer }
        return address
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
