import MildamIdentity

/// A session as its account is told of it.
public struct SessionDescription: Codable, Sendable, Equatable {
    /// The session.
    public var session: SessionID
    /// The device that logged in.
    public var device: DeviceID
    /// When it did, in seconds since 1970.
    public var begun: Int64
    /// When the session was last refreshed, or begun, in seconds since 1970.
    public var refreshed: Int64
    /// Whether it is the one that asks.
    public var isCurrent: Bool

    /// Makes a description.
    public init(session: SessionID, device: DeviceID, begun: Int64, refreshed: Int64, isCurrent: Bool) {
        self.session = session
        self.device = device
        self.begun = begun
        self.refreshed = refreshed
        self.isCurrent = isCurrent
    }
}

/// The sessions of the calling account, one for each device that is logged in: the answer of `GET /v1/sessions`.
public struct SessionList: Codable, Sendable, Equatable {
    /// The sessions, in the order of their devices' ids.
    public var sessions: [SessionDescription]

    /// Makes a list.
    public init(sessions: [SessionDescription]) {
        self.sessions = sessions
    }
}
