/// Wishes that wait each by itself, since the relay did not do what they need: the others go on.
extension RoomCore {
    /// How long one of them waits.
    struct Pause: Sendable {
        /// Until this moment of the steady clock, in milliseconds.
        let until: UInt64
        /// How often in a row it was not done.
        let failures: UInt64
    }

    /// How long a wish of the person's waits at the longest, in milliseconds: a minute.
    private static let longestForPerson: UInt64 = 60_000
    /// How long a duty waits at the longest, in milliseconds: an hour.
    private static let longestForDuty: UInt64 = 3_600_000

    /// Tries a wish again later, each time later than before.
    mutating func pause(_ wish: Wish, _ step: inout StepDraft) {
        let failures = min((live.pauses[wish]?.failures ?? 0) + 1, 14)
        let longest = wish.isDuty ? RoomCore.longestForDuty : RoomCore.longestForPerson
        let until = step.now + min(250 << failures, longest)
        live.pauses[wish] = Pause(until: until, failures: failures)
        step.wake(at: until)
    }

    /// Whether a wish is to be tried later; it wants to be woken then.
    func isPaused(_ wish: Wish, _ step: inout StepDraft) -> Bool {
        guard let until = live.pauses[wish]?.until, until > step.now else { return false }
        step.wake(at: until)
        return true
    }
}
