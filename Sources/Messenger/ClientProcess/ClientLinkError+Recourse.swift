import MildamClientAPI

extension ClientLinkError {
    /// How something is asked again that is done once however often it is asked for: by an id of its own, or since it only looks.
    public enum Recourse: Sendable {
        /// Of the same client: it goes on, and may have done it.
        case sameClient
        /// Of the client that runs next.
        case nextClient
        /// Of the same client, once whoever works with the profile by themselves has ended.
        case later
        /// Not at all: it cannot be.
        case never
    }

    /// How what was not answered is asked again.
    public var recourse: Recourse {
        switch self {
        case .late: .sameClient
        case .ended, .system: .nextClient
        case .refused(let error) where error.code == .lent || error.code == .notLent: .later
        case .refused, .misunderstood: .never
        }
    }
}
