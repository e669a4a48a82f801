import MildamTransport

/// What the command line asks for: limits by their names in `ServerLimits`, durations in milliseconds.
struct Settings {
    var limits = ServerLimits()
    var tls: TLSServerConfiguration?

    /// A word that means nothing here.
    struct Unknown: Error {
        let word: String
    }

    private static let numbers: [String: any WritableKeyPath<ServerLimits, Int> & Sendable] = [
        "maxBodyBytes": \.maxBodyBytes,
        "maxBufferedBodyBytes": \.maxBufferedBodyBytes,
        "maxConnections": \.maxConnections,
        "maxConnectionsPerAddress": \.maxConnectionsPerAddress,
        "maxFrameBytes": \.maxFrameBytes,
        "maxHeadBytes": \.maxHeadBytes,
        "maxMessageBytes": \.maxMessageBytes,
        "maxQueuedBytesPerConnection": \.maxQueuedBytesPerConnection,
    ]

    private static let durations: [String: any WritableKeyPath<ServerLimits, Duration> & Sendable] = [
        "bodyTimeout": \.bodyTimeout,
        "headTimeout": \.headTimeout,
        "idleTimeout": \.idleTimeout,
        "writeTimeout": \.writeTimeout,
    ]

    init(_ words: ArraySlice<String>) throws {
        var files: [String: String] = [:]
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw Unknown(word: word) }
            if parts[0] == "certificate" || parts[0] == "key" {
                files[parts[0]] = parts[1]
            } else if let number = Int(parts[1]), let path = Self.numbers[parts[0]] {
                limits[keyPath: path] = number
            } else if let number = Int(parts[1]), let path = Self.durations[parts[0]] {
                limits[keyPath: path] = .milliseconds(number)
            } else {
                throw Unknown(word: word)
            }
        }
        if let certificate = files["certificate"], let key = files["key"] {
            tls = TLSServerConfiguration(certificateChainFile: certificate, privateKeyFile: key)
        }
    }
}
