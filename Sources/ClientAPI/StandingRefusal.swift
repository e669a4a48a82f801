import MildamIdentity

/// Something that the relay has no room to note of another account.
public struct StandingRefusal: Codable, Equatable, Sendable {
    /// How many are told at once at most.
    public static let most = 100

    /// Whom it is about; missing where no handle is known.
    public var handle: Handle?
    /// Whether it is that the account is blocked; otherwise that it is known.
    public var isBlock: Bool
    /// The relay's words.
    public var reason: String

    /// Makes a refusal.
    public init(handle: Handle? = nil, isBlock: Bool, reason: String) {
        self.handle = handle
        self.isBlock = isBlock
        self.reason = reason
    }

    /// - Throws: `outOfRange`.
    static func check(_ refused: [StandingRefusal]?) throws(ClientLineDefect) {
        guard let refused else { return }
        guard refused.count <= most else { throw .outOfRange("refused") }
        for refusal in refused { try ClientText.check(refusal.reason, "reason", 0...LineLimits.name) }
    }
}
