import MildamRelayAPI
import MildamTransport

/// A line of the log for each login that failed, for a tool that keeps networks out which guess. Only where whoever runs
/// the relay asked for it: it says that somebody of a network tried.
struct LoginFailureLog: Sendable {
    /// What a line is called.
    static let event = "login_failed"
    /// Lines of a minute, of all networks together.
    static let lines = 600

    /// `nil` where nobody asked.
    let log: RelayLog?

    /// Notes what came of a login, or of a proof of an account's owner. It says the network alone, and not whether there
    /// is such an account: a guess is a guess.
    func note<Value>(_ result: Result<Value, APIError>, from address: SocketAddress) {
        guard let log, case .failure(let error) = result, [.wrongCredentials, .wrongCode].contains(error.code) else {
            return
        }
        log.write(.info, Self.event, [.text("network", address.networkText)])
    }
}
