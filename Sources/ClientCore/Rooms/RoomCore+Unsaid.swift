import MildamIdentity

/// What was typed and could not be said: it is kept with the room in the step in which it fails, until the person drops it.
extension RoomCore {
    /// How much a person can wish in a room that is not so yet, or could not be said and was not dropped: texts, and changes of the
    /// room, each for itself.
    package static let mostWaiting = 1000

    /// Why a wish is not taken on: so many wait.
    static let tooManyWaiting = "too-many-waiting"

    /// Whether one more wish is taken on. What was taken on stays; coming in and leaving are always.
    package func hasRoom(for wish: Wish, id: MessageID) -> Bool {
        if intents.contains(where: { $0.id == id }) { return true }
        if wish == .leave || wish == .accept, !intents.contains(where: { $0.wish == wish }) { return true }
        let waiting = intents.count { $0.wish.isSaying == wish.isSaying }
        let kept = wish.isSaying ? unsaid.count { $0.id != id } : 0
        return waiting + kept < RoomCore.mostWaiting
    }

    /// A wish cannot be, and the person is told; what was to be said is kept.
    mutating func giveUp(_ intent: Intent, code: String, _ step: inout StepDraft) {
        guard !intent.wish.isDuty else { return }
        live.pauses[intent.wish] = nil
        live.numbers[intent.id] = nil
        if intent.wish.isSaying, code != RoomCore.dropped, !PlantedFault.forgetsWhatWasTyped.isPresent {
            unsaid.append(intent.unsaid(because: code))
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
