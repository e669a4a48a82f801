import MildamClientAPI
import MildamClientCore
import MildamIdentity

extension Notice {
    /// What windows are told of it once; `nil` where the room's row and items say it all.
    func change(in room: RoomID) -> ClientChange? {
        switch self {
        case .wishIsDone, .wishWaits, .invited, .troubleIsOver: nil
        case .wishFailed(_, let code): .notice(room: room, code: ClientError.Code(rawValue: code)?.rawValue ?? "unnamed")
        case .trouble(let cause): .notice(room: room, code: cause.code)
        case .stopped(let cause, _): .notice(room: room, code: "stopped-\(cause.code)")
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
