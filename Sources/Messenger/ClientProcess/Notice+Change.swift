import MildamClientAPI
import MildamClientCore
import MildamIdentity

extension Notice {
    /// What windows are told of it once; `nil` where the room's row and items say it all.
    func change(in room: RoomID) -> ClientChange? {
        switch self {
        case .invited, .troubleIsOver: nil
        case .wishIsDone(let id, let number): .wish(room: room, id: id, outcome: .done(number: number))
        case .wishWaits(let id, let code): .wish(room: room, id: id, outcome: .waiting(code: told(code)))
        case .wishFailed(let id, let code): .wish(room: room, id: id, outcome: .failed(code: told(code)))
        case .trouble(let cause): .notice(room: room, code: cause.code, number: cause.number)
        case .stopped(let cause, _): .notice(room: room, code: "stopped-\(cause.code)", number: cause.number)
        case .stateWasPutBack: .notice(room: room, code: "state-was-put-back")
        case .keysAreUsedElsewhere: .notice(room: room, code: "keys-are-used-elsewhere")
        case .messagesMissing(_, _, let count): .notice(room: room, code: "messages-missing", number: count)
        case .historyStatedOtherwise(_, let number):
            .notice(room: room, code: "history-stated-otherwise", number: number)
        case .relayWentBack(let last): .notice(room: room, code: "relay-went-back", number: last)
        case .removed: .notice(room: room, code: "removed")
        }
    }
}

/// A code as a line may have it.
private func told(_ code: String) -> String {
    RoomItem.beginning(of: code, bytes: LineLimits.code)
}

extension Cause {
    /// The number of the message that it is about, or the first that is still kept, where it has one.
    fileprivate var number: UInt64? {
        switch self {
        case .behindRetention(let number), .commitNotProcessable(let number), .ownStateOlder(let number),
            .differentHistory(let number), .dueProposalRefused(let number):
            number
        case .welcomeDoesNotOpen, .repeated, .forged, .mislabelled, .newer, .senderNoMember, .ruleBroken,
            .recordsDamaged, .beforeComingIn, .lostAtRestore:
            nil
        }
    }
}
