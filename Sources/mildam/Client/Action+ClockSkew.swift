import MildamClientAPI
import MildamMessenger
import MildamSystem

extension Action {
    /// The client that the command has asked last.
    private static let asked = Lock<ClientLink?>(nil)
    /// Whether the person was told that this machine's clock and the relay's differ.
    private static let isSkewTold = Lock(false)

    /// Remembers a client that the command asks.
    func remember(_ link: ClientLink) { Self.asked.withLock { $0 = link } }

    /// What the person is to be told of the clocks; `nil` where the command has told of them before.
    static func news(of skew: ClockSkew) -> ClockSkew? {
        isSkewTold.withLock { isTold in
            defer { isTold = true }
            return isTold ? nil : skew
        }
    }

    /// The same, of how the client is; `nil` as well where the clocks agree, or nobody knows.
    static func skewNews(of status: ClientStatus) -> ClockSkew? {
        status.skew.flatMap { news(of: ClockSkew(seconds: $0)) }
    }

    /// Tells that this machine's clock and the relay's differ, where the client that was asked has found so.
    func tellClockSkew() async {
        guard let link = Self.asked.withLock({ $0 }),
            case .status(let status)? = try? await link.ask(.status, within: .seconds(1)),
            let skew = Self.skewNews(of: status)
        else { return }
        console.complain("mildam: \(skew)")
    }
}
