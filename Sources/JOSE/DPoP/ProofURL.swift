/// The address that a proof is for, in the one form in which addresses are compared: scheme and host in lower case, no
/// default port, no query, no fragment (RFC 9449, section 4.3, point 9; RFC 3986, section 6.2).
public struct ProofURL: Hashable, Sendable {
    /// The address.
    public let text: String

    /// The longest address that is looked at, in bytes.
    public static let maximumSize = 2048

    /// The form of an address; `nil` for what is none of `http` or `https`, or names a user.
    public init?(_ url: some StringProtocol) {
        guard url.utf8.count <= Self.maximumSize, url.utf8.allSatisfy({ (0x21..<0x7f).contains($0) }) else {
            return nil
        }
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = url.dropFirst(scheme.count)
        guard rest.hasPrefix("://") else { return nil }
        let address = rest.dropFirst(3).prefix { $0 != "?" && $0 != "#" }
        let authority = address.prefix { $0 != "/" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        var host = authority.lowercased()
        let port = scheme == "https" ? ":443" : ":80"
        if host.hasSuffix(port) { host.removeLast(port.count) }
        let path = address.dropFirst(authority.count)
        text = scheme + "://" + host + (path.isEmpty ? "/" : path)
    }
}
