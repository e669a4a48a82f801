import MildamTransport

/// From where a request comes.
enum ClientAddress {
    /// The other end of the connection; behind a proxy on this machine, if there is said to be one, the address that
    /// it names. Only the last address that it names counts: those before it are the client's own words.
    static func of(_ request: HTTPRequest, behindProxy: Bool) -> SocketAddress {
        guard behindProxy, request.peer.isLoopback,
            let last = request.fields.values(of: "X-Forwarded-For").last?.split(
                separator: ",",
                omittingEmptySubsequences: false
            ).last,
            let address = SocketAddress(ip: String(last).trimmingSpaces, port: 0)
        else { return request.peer }
        return address
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
