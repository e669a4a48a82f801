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
        if progress == .refilling { live.refusedOffers = 0 }
        guard page.last < history.number else {
            guard !recovery.hasLacked else {
                // What others have given back meanwhile is compared, too.
                recovery.compare(after: recovery.given)
                return
            }
            recovery.end()
            guard page.last == history.number else { return }
            haveMet(page, &step)
            if isElsewhere(page) { otherEpoch(&step) }
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
            if progress == .refilling {
                live.offerDueAt = step.now + RelayRecovery.offerHeld
            } else if let due = live.offerDueAt, due <= step.now {
                readKept(after: page.last, &step)
                return
            }
            recovery.wait()
            backOff(&step)
        case .reading: break
        }
    }

    private mutating func readKept(after number: UInt64, _ step: inout StepDraft) {
        live.offerDueAt = nil
        recovery.read(after: number)
        step.readKept(room, after: number)
    }

    /// Gives back what is kept, under the numbers that it had.
    mutating func refill(_ kept: [NumberedMessage], _ step: inout StepDraft) {
        guard recovery.progress == .reading, live.fetching == nil else { return }
        let missing = kept.filter { message in
            message.number > recovery.given && message.number <= history.number
                && !isPastLoss(message)
        }.sorted { $0.number < $1.number }
        guard !missing.isEmpty else {
            recovery.wait()
            backOff(&step)
            return
        }
        recovery.refill()
        // With a commit that is given back comes no GroupInfo.
        if missing.contains(where: { $0.kind != .application }) {
            recovery.owe(infoOf: group?.publicGroup.context.epoch ?? outline?.epoch)
        }
        live.fetchingFrom = history.number
        live.fetching = step.ask(.refill(room, missing), for: .room(room))
    }

    /// It is not known whether the relay has what was given back, or it is to be given later; each time later than before.
    mutating func giveBackAgain(_ step: inout StepDraft) {
        guard recovery.progress == .refilling else { return backOff(&step) }
        recovery.compare(after: recovery.given)
        // What is read before it is offered again is no success of it.
        live.failures = live.refusedOffers
        backOff(&step)
        live.refusedOffers = live.failures
    }

    /// Whether the room went on without a message after it was lost, and this device with it: it is of another past than what is there
    /// now. Who is where it was before gives back all of it.
    private func isPastLoss(_ message: NumberedMessage) -> Bool {
        !recovery.isGone(enteredAt) && recovery.isGone(message.number)
    }
}
