/// The addresses under which a verifier is reached: what it was told, and never what a request says.
public enum ProofOrigins: Sendable, Equatable {
    /// These: `https://relay.example`, in the form of ``ProofURL/origin``.
    case these(Set<String>)
    /// This machine, by any of its names for itself, at any port: for a verifier that nobody else can reach.
    case loopback

    /// Whether an address is one of them.
    public func contains(_ url: ProofURL) -> Bool {
        switch self {
        case .these(let origins): return origins.contains(url.origin)
        case .loopback:
            let host = url.origin.drop { $0 != "/" }.dropFirst(2)
            return ["127.0.0.1", "localhost", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
        }
    }
}
