import MildamRelayAPI
import MildamSystem
import MildamTransport

/// A line of the log for each login that failed, for a tool that keeps networks out which guess. Only where whoever runs
/// the relay asked for it: it says that somebody of a network tried.
final class LoginFailureLog: Sendable {
    /// What a line is called.
    static let event = "login_failed"
    /// Lines of a minute, of all networks together.
    static let lines = 600

    private let log: RelayLog?
    private let now: @Sendable () -> UInt64
    private let allowance = Lock(NetworkAllowance())

    /// - Parameters:
    ///   - log: where the lines go; `nil` where nobody asked.
    ///   - now: nanoseconds of a clock that never goes back.
    init(log: RelayLog?, now: @escaping @Sendable () -> UInt64) {
        self.log = log
        self.now = now
    }

    /// Notes what came of a login, or of a proof of an account's owner. It says the network alone, and not whether there
    /// is such an account: a guess is a guess. Of a network that has had its lines, it is counted, and told with the
    /// network's next line.
    func note<Value>(_ result: Result<Value, APIError>, from address: SocketAddress) {
        guard let log, case .failure(let error) = result, [.wrongCredentials, .wrongCode].contains(error.code) else {
            return
        }
        let (network, time) = (address.network, now())
        guard let leftOut = allowance.withLock({ $0.take(network, at: time) }) else { return }
        var fields: [RelayLog.Field] = [.text("network", address.networkText)]
        if leftOut > 0 { fields.append(.number("left_out", leftOut)) }
        log.write(.info, Self.event, fields)
    }
}
