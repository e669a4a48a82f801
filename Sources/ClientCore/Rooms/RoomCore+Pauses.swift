/// Wishes that wait each by itself, since the relay did not do what they need: the others go on. So does coming in from outside.
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

    /// After so many refusals in a row of a commit from outside the person is told that the room is at a stand.
    private static let refusalsUntold: UInt64 = 5

    /// Tries a wish again later, each time later than before.
    mutating func pause(_ wish: Wish, _ step: inout StepDraft) {
        let failures = min((live.pauses[wish]?.failures ?? 0) + 1, 14)
        let longest = wish.isDuty ? RoomCore.longestForDuty : RoomCore.longestForPerson
        let until = step.now + min(250 << failures, longest)
        live.pauses[wish] = Pause(until: until, failures: failures)
        step.wake(at: until)
    }

    /// Coming in from outside did not succeed; each time it takes the whole tree. It is tried again later, each time later than
    /// before, after a minute at the latest.
    mutating func pauseOutside(_ step: inout StepDraft) { pauseOutside(atMost: RoomCore.longestForPerson, &step) }

    /// A commit from outside was refused. Unless that may pass, it was one of the attempts of which there are three an hour (H13), and
    /// is tried again as a duty is; after some the person is told that the room is at a stand.
    mutating func pauseOutside(refusedBy refusal: RelayRefusal, _ step: inout StepDraft) {
        guard !refusal.mayPass else {
            pauseOutside(&step)
            return
        }
        pauseOutside(atMost: RoomCore.longestForDuty, &step)
        trouble?.isCounted = false
        guard let pause = live.outsidePause, pause.failures >= RoomCore.refusalsUntold, !live.isToldStopped else {
            return
        }
        live.isToldStopped = true
        step.tell(room, .stopped(trouble?.cause ?? .welcomeDoesNotOpen, until: pause.until))
    }

    private mutating func pauseOutside(atMost longest: UInt64, _ step: inout StepDraft) {
        let failures = min((live.outsidePause?.failures ?? 0) + 1, 14)
        let until = step.now + min(250 << failures, longest)
        live.outsidePause = Pause(until: until, failures: failures)
        step.wake(at: until)
    }

    /// Whether coming in from outside is to be tried later; it wants to be woken then.
    func isPausedOutside(_ step: inout StepDraft) -> Bool {
        guard let until = live.outsidePause?.until, until > step.now else { return false }
        step.wake(at: until)
        return true
    }

    /// Whether a wish is to be tried later; it wants to be woken then.
    func isPaused(_ wish: Wish, _ step: inout StepDraft) -> Bool {
        guard let until = live.pauses[wish]?.until, until > step.now else { return false }
        step.wake(at: until)
        return true
    }
}
