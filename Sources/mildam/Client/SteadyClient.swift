import MildamClientAPI
import MildamMessenger
import MildamSystem

/// The profile's client for what is done once however often it is asked for: by an id of its own, or since it only looks. Where a
/// client ends or is late, the one that runs then is asked, twice at most; while the profile is lent, until that is over.
final class SteadyClient: ClientAsking {
    private let action: Action
    private let link: Lock<ClientLink>
    private let isTold = Lock(false)

    /// How often another client is asked.
    private static let tries = 2

    /// - Parameter link: the client that is asked first.
    init(_ link: ClientLink, for action: Action) {
        self.link = Lock(link)
        self.action = action
    }

    /// The client that is asked now.
    var present: ClientLink { link.withLock { $0 } }

    func ask(_ ask: ClientAsk, within limit: Duration) async throws(ClientLinkError) -> ClientAnswer {
        var tries = SteadyClient.tries
        while true {
            do throws(ClientLinkError) {
                return try await present.ask(ask, within: limit)
            } catch {
                switch error.recourse {
                case .never: throw error
                case .later:
                    tell()
                    try? await Task.sleep(for: .seconds(1))
                case .sameClient, .nextClient:
                    guard tries > 0, let next = try? await action.client() else { throw error }
                    tries -= 1
                    link.withLock { $0 = next }
                }
            }
        }
    }

    /// Says once what is waited for.
    private func tell() {
        let isNew = isTold.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        if isNew { action.report.note("another program works with this profile: waiting until it has ended") }
    }
}
