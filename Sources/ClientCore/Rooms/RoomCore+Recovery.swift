import MildamContent
import MildamIdentity

/// A relay that was put back: comparing what it has, and giving back what it lacks (H41).
extension RoomCore {
    /// The relay has another store, or fewer messages than were read: nothing is sent until that is mended.
    mutating func relayWentBack(_ last: UInt64, _ step: inout StepDraft) {
        if last < history.number { step.tell(room, .relayWentBack(last: last)) }
        hasRelayGoneBack = true
        recovery.begin(last: min(last, history.number))
    }

    /// The relay has shown what it has.
    mutating func goOnRecovering(_ page: LogPage, _ step: inout StepDraft) {
        guard let progress = recovery.progress else { return }
        guard page.last < history.number else {
            if recovery.hasLacked { giveGroupInfo(ofEpoch: page.epoch, &step) }
            recovery.end()
            if page.last == history.number, page.epoch != group?.publicGroup.context.epoch { otherEpoch(&step) }
            return
        }
        switch progress {
        case .comparing: readKept(after: page.last, &step)
        case .refilling, .waitingForOthers:
            // Where it has more than before, what comes next may be this device's again.
            guard page.last <= recovery.given else {
                readKept(after: page.last, &step)
                return
            }
            recovery.wait()
            backOff(&step)
        case .reading: break
        }
    }

    private mutating func readKept(after number: UInt64, _ step: inout StepDraft) {
        recovery.read(after: number)
        step.readKept(room, after: number)
    }

    /// Gives back what is kept, under the numbers that it had.
    mutating func refill(_ kept: [NumberedMessage], _ step: inout StepDraft) {
        guard recovery.progress == .reading, live.fetching == nil else { return }
        let missing = kept.filter { $0.number > recovery.given && $0.number <= history.number }
            .sorted { $0.number < $1.number }
        guard !missing.isEmpty else {
            recovery.wait()
            backOff(&step)
            return
        }
        recovery.refill()
        live.fetchingFrom = history.number
        live.fetching = step.ask(.refill(room, missing), for: .room(room))
    }
}
