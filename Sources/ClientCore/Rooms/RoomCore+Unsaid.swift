import MildamIdentity

/// What was typed and could not be said: it is kept with the room in the step in which it fails, until the person drops it.
extension RoomCore {
    /// How many of them a room keeps, the last ones.
    static let mostUnsaid = 1000

    /// A wish cannot be, and the person is told; what was to be said is kept.
    mutating func giveUp(_ intent: Intent, code: String, _ step: inout StepDraft) {
        guard !intent.wish.isDuty else { return }
        live.pauses[intent.wish] = nil
        live.numbers[intent.id] = nil
        if intent.wish.isSaying, code != RoomCore.dropped {
            unsaid = Array((unsaid + [intent.unsaid(because: code)]).suffix(RoomCore.mostUnsaid))
        }
        step.tell(room, .wishFailed(intent.id, code: code))
    }

    /// Why it is not said: the person has dropped it.
    static let dropped = "dropped"
}

extension Intent {
    /// Why it could not be said, where that is so: a code.
    public var failure: String? { if case .unsaid(let code) = progress { code } else { nil } }

    /// The words alone, as they are kept.
    fileprivate func unsaid(because code: String) -> Intent {
        var failed = Intent(wish, id: id, wished: wished)
        failed.progress = .unsaid(code: code)
        return failed
    }
}
