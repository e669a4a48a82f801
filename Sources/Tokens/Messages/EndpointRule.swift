import MildamTransport

/// Which endpoints an issuer may name: a document from far away is not to send this program, with a secret in its hand, to
/// what only this machine or its network can reach, nor to another service of the same host.
///
/// An endpoint may be anywhere that is no nearer than the issuer, at the issuer's port. Its own origin is always right, and
/// so is an origin that the person has named. A name that somebody's name server maps to an address nearby is not seen
/// here: the server's certificate has to be for that name.
struct EndpointRule {
    let issuer: ServerURL
    /// Origins that the person has named, as ``ServerURL/origin`` has them.
    let allowed: Set<String>

    /// Whether an endpoint may be there.
    func permits(_ endpoint: ServerURL) -> Bool {
        if endpoint.origin == issuer.origin || allowed.contains(endpoint.origin) { return true }
        return endpoint.reach >= issuer.reach && endpoint.port == issuer.port
    }
}

/// From where something can be reached, as far as its address says.
enum Reach: Int, Comparable {
    /// From this machine alone.
    case machine
    /// From the network that it is in: private and link-local addresses (RFC 1918, 3927, 6598, 4193, 4291).
    case network
    /// From anywhere; all names are taken for that.
    case anywhere

    static func < (left: Reach, right: Reach) -> Bool { left.rawValue < right.rawValue }

    /// - Parameter host: a name in lower case, or a literal address without brackets.
    init(of host: String) {
        if let address = SocketAddress(ip: host, port: 0) {
            self = address.isLoopback ? .machine : Reach(ofAddress: address.ip)
            return
        }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let last = name.split(separator: ".").last ?? ""
        // "127.1" and "2130706433" are other spellings of an address, which libcurl knows and no honest server uses.
        let isNumber = last.hasPrefix("0x") || !last.isEmpty && last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        self = name == "localhost" || name.hasSuffix(".localhost") || isNumber ? .machine : .anywhere
    }

    private init(ofAddress ip: [UInt8]) {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let bytes = ip.count == 16 && ip.starts(with: mapped) ? Array(ip.dropFirst(12)) : ip
        if bytes.count == 4 {
            switch (bytes[0], bytes[1]) {
            // To connect to "this network" is to connect to this machine.
            case (0, _): self = .machine
            case (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): self = .network
            default: self = .anywhere
            }
        } else if bytes.allSatisfy({ $0 == 0 }) {
            self = .machine
        } else {
            let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
            self = isLinkLocal || bytes[0] & 0xFE == 0xFC ? .network : .anywhere
        }
    }
}
