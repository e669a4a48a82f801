/// What the relay says of this account's membership: who is put out does not get the commit that says so.
extension RoomCore {
    /// The relay serves the room no more: nothing is asked or sent there. What was made of it stays, for a relay that was put back
    /// says the same.
    mutating func beShutOut(_ step: inout StepDraft) {
        switch standing {
        case .beginning, .left, .removed: return
        case .requested, .seated, .invited, .member: break
        }
        let hasLeft = intents.contains { $0.wish == .leave }
        standing = hasLeft ? .left : .removed
        isAccepted = false
        waitingWelcome = nil
        joining = nil
        trouble = nil
        live = Live()
        group?.discardStagedCommit()
        renewing = nil
        if !hasLeft { step.tell(room, .removed) }
        for intent in intents where !intent.wish.isDuty {
            let notice =
                intent.wish == .leave
                ? Notice.wishIsDone(intent.id, number: nil)
                : Notice.wishFailed(intent.id, code: "removed")
            step.tell(room, notice)
        }
        intents = []
    }

    /// The relay serves the room again: the person is asked, and what was missed is read.
    mutating func beServedAgain() {
        standing = .invited
        isAccepted = false
    }
}
