import MildamContent
import MildamIdentity
import MildamRoomRules

/// What was lost for good when the relay was put back: what this device had said there is said again as new (H41).
///
/// A relay can say at any time that it was put back, and what it likes of what it lost. So what is said again is little: what this
/// device keeps the bytes of, which it does for seven days and until it has said it again; few at once; and by itself to nobody
/// who was not there when it was said first.
extension RoomCore {
    /// The relay names numbers that are lost. They count while it is being mended: what it lost when it was put back, it has named
    /// when it has as much as this device has read.
    ///
    /// - Parameter read: how far this device had read.
    mutating func lose(_ numbers: [ClosedRange<UInt64>], upTo read: UInt64) {
        guard recovery.isGoingOn else { return }
        recovery.lose(numbers.filter { $0.lowerBound <= read }.map { $0.lowerBound...min($0.upperBound, read) })
    }

    /// Looks for what this device had said under numbers that are lost, once something can be said in the room again.
    mutating func readLost(_ step: inout StepDraft) {
        guard !recovery.lost.isEmpty, !live.isReadingLost, standing == .member, !isLeaving else { return }
        guard live.lostDueAt <= step.now else {
            step.wake(at: live.lostDueAt)
            return
        }
        // What was found last is said first.
        let waiting = intents.count(where: \.wish.isSaying)
        guard waiting < LostWords.most, waiting + unsaid.count + LostWords.most <= RoomCore.mostWaiting else { return }
        live.isReadingLost = true
        step.readLost(room, recovery.lost, keptAt: step.moment.wallSeconds)
    }

    /// What this device had said, and nobody gave back, is said again as new, or kept for the person where others came in since. What
    /// the room is called is not said again: it counts under its number alone.
    ///
    /// - Parameter words: `nil` where the store could not be read: it is looked at again.
    mutating func sayAgain(_ words: LostWords?, _ step: inout StepDraft) {
        guard live.isReadingLost else { return }
        live.isReadingLost = false
        guard let words else {
            live.lostDueAt = step.now + RoomCore.longestRetry
            return
        }
        let own = words.entries.filter { $0.account == step.device.account && $0.device == step.device.device }
            .sorted { $0.number < $1.number }
        for entry in own {
            guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes),
                let part = content.part
            else { continue }
            if case .roomInfo = content.kind { continue }
            let blobs = (try? content.head())?.blobs ?? []
            let again = Wish.say(part, inReplyTo: content.inReplyTo, blobs: blobs)
            let id = MessageID.random(from: step.randomness)
            if entry.number < lastArrival {
                giveUp(Intent(again, id: id, wished: step.moment.wall), code: "others-came-in", &step)
            } else {
                wish(again, id: id, step)
            }
        }
        if !own.isEmpty { step.changes.append(.release(room, own.map(\.number))) }
        recovery.settle(words.numbers)
    }

    /// Accounts came in, or may have: all that was read up to here was said without them.
    ///
    /// - Parameter before: who was in the room when that was known last; `nil` where it is not known.
    mutating func noteArrivals(since before: RoomMembers?, among after: RoomMembers) {
        if let before, after.accounts.isSubset(of: before.accounts) { return }
        lastArrival = history.number + 1
    }
}
