import MildamClientAPI

/// Whoever answers what windows ask of a profile's client.
public protocol ClientAsking: Sendable {
    /// Asks for something, and waits for the answer, but not longer than this.
    ///
    /// - Throws: ``ClientLinkError``.
    func ask(_ ask: ClientAsk, within limit: Duration) async throws(ClientLinkError) -> ClientAnswer
}

extension ClientLink: ClientAsking {}

extension ClientAsking {
    /// How long an answer may take, where it is not said: somewhat longer than anything is waited for.
    private static var answering: Duration { .seconds(70) }

    /// All rooms, and all that one is invited to.
    ///
    /// - Throws: ``ClientLinkError``.
    public func allRows() async throws(ClientLinkError) -> [RoomRow] {
        var rows: [RoomRow] = []
        while true {
            let answer = try await ask(.rooms(after: rows.last?.room), within: Self.answering)
            guard case .rooms(let part, let hasMore) = answer else { throw .misunderstood(.unknown) }
            rows += part
            guard hasMore, !part.isEmpty else { return rows }
        }
    }
}
