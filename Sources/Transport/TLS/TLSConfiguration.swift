/// How a client knows its server. TLS 1.3 or nothing.
public struct TLSClientConfiguration: Sendable, Equatable {
    /// Who vouches for the server's key.
    public enum Trust: Sendable, Equatable {
        /// The authorities that this system trusts.
        case system
        /// The authorities in a PEM file, and no others.
        case authorities(file: String)
        /// The key itself: SHA-256 of the DER SubjectPublicKeyInfo, 32 bytes. It replaces authority, name and dates.
        case pinned(sha256: [UInt8])
    }

    /// Who vouches for the server's key.
    public var trust: Trust
    /// The name or IP address that the certificate must carry; `nil`: the endpoint's host.
    public var serverName: String?

    /// Makes a configuration; by default the system's authorities and the endpoint's own name.
    public init(trust: Trust = .system, serverName: String? = nil) {
        self.trust = trust
        self.serverName = serverName
    }
}

/// How a server proves who it is. TLS 1.3 or nothing.
public struct TLSServerConfiguration: Sendable, Equatable {
    /// A PEM file: the server's certificate, then those that lead to its authority.
    public var certificateChainFile: String
    /// A PEM file: the private key of the first certificate.
    public var privateKeyFile: String

    /// Names the two files; they are read when the server starts.
    public init(certificateChainFile: String, privateKeyFile: String) {
        self.certificateChainFile = certificateChainFile
        self.privateKeyFile = privateKeyFile
    }
}
