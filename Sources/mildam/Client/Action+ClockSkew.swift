import MildamClientAPI
import MildamMessenger
import MildamSystem

extension Action {
    /// The client that the command has asked last.
    private static let asked = Lock<ClientLink?>(nil)

    /// Remembers a client that the command asks.
    func remember(_ link: ClientLink) { Self.asked.withLock { $0 = link } }

    /// Tells that this machine's clock and the relay's differ, where the client that was asked has found so.
    func tellClockSkew() async {
        guard let link = Self.asked.withLock({ $0 }),
            case .status(let status)? = try? await link.ask(.status, within: .seconds(1)), let seconds = status.skew
        else { return }
        console.complain("mildam: \(ClockSkew(seconds: seconds))")
    }
}
