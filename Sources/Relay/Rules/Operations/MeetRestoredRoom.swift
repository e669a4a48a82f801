import MildamIdentity
import MildamRelayAPI

/// A member comes to its room after the relay was put back, and shows the last number that it knows. What nobody has given back
/// for long enough is given up.
struct MeetRestoredRoom: StoreOperation {
    let room: RoomID
    let account: AccountID
    /// The last number that it knows, or one below; 0 for none.
    let shown: UInt64
    /// Whether it is the last one for certain. Where it is the room's last, or above, it is.
    let isCertain: Bool
    /// What is known of the room.
    let restored: RestoredRoom

    /// What came of it.
    struct Outcome: Equatable, Sendable {
        /// The number that is due.
        let next: UInt64
        /// The highest number that somebody has shown of what the relay lost; 0 for none.
        let shown: UInt64
        /// Whether it is known what the member knows.
        let isHeard: Bool
        /// Whether it has shown more than was known.
        var hasShown = false
        /// Whether numbers were given up.
        var hasLost = false
        /// Whether numbers behind those are missing still.
        var lacksMore = false
    }

    var prefetch: [FactKey] { [.room(room)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Outcome, APIError> {
        guard let before = try facts.room(room) else { return .failure(.unknownRoom) }
        guard before.members[account] != nil else { return .failure(.notAMember) }
        let isHeard = isCertain || shown > 0 && shown >= before.next - 1
        if let after = before.showing(shown, since: restored.base) {
            facts.put(after, replacing: before)
            return .success(Outcome(next: after.next, shown: after.shown, isHeard: isHeard, hasShown: true))
        }
        var restored = restored
        if isHeard { restored.heard.insert(account) }
        guard let lost = restored.given(up: before) else {
            return .success(Outcome(next: before.next, shown: before.shown, isHeard: isHeard))
        }
        facts.put(before.passing(over: lost), replacing: before)
        facts.lose(lost, of: room)
        let outcome = Outcome(
            next: lost.upperBound + 1,
            shown: before.shown,
            isHeard: isHeard,
            hasLost: true,
            lacksMore: before.shown > lost.upperBound
        )
        return .success(outcome)
    }
}
