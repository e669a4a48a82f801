/// `openssl speed`, for one second, read from its machine form (`-mr`).
enum OpenSSLPeer {
    /// Bytes a second of a symmetric algorithm at one size.
    static func bytesPerSecond(_ arguments: [String], size: Int) throws -> Double {
        let fields = try line(["-bytes", "\(size)"] + arguments, marked: "+F:")
        guard let last = fields.last, let rate = Double(last) else { throw unreadable }
        return rate
    }

    /// Nanoseconds of one operation at one size.
    static func cost(_ arguments: [String], size: Int) throws -> Double {
        Double(size) * 1_000_000_000 / (try bytesPerSecond(arguments, size: size))
    }

    /// Nanoseconds that Ed25519 takes to sign and to verify.
    static func ed25519() throws -> (sign: Double, verify: Double) {
        let fields = try line(["ed25519"], marked: "+F6:")
        guard fields.count >= 6, let sign = Double(fields[4]), let verify = Double(fields[5]) else { throw unreadable }
        return (1_000_000_000 / sign, 1_000_000_000 / verify)
    }

    /// Nanoseconds that one X25519 agreement takes.
    static func x25519() throws -> Double {
        let fields = try line(["ecdhx25519"], marked: "+F5:")
        guard fields.count >= 4, let rate = Double(fields[3]) else { throw unreadable }
        return 1_000_000_000 / rate
    }

    private static let unreadable = BenchError("what openssl speed prints cannot be read")

    private static func line(_ arguments: [String], marked mark: String) throws -> [Substring] {
        let text = try Child.output(of: ["openssl", "speed", "-seconds", "1", "-mr"] + arguments)
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix(mark) }) else { throw unreadable }
        return line.split(separator: ":", omittingEmptySubsequences: false)
    }
}
