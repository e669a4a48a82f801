import MildamClientAPI
import MildamClientCore

/// What is wrong with rooms.
extension ClientDispatcher {
    func troubles() async -> ClientAnswer {
        let overviews = await rooms.rooms()
        let troubles = overviews.compactMap { RoomTrouble($0) }
        return .troubles(rooms: Array(troubles.prefix(LineLimits.rooms)), of: overviews.count)
    }
}

extension RoomOverview {
    /// Whether something is wrong with it.
    var isTroubled: Bool { trouble != nil || areKeysUsedElsewhere }
}

extension RoomTrouble {
    /// What is wrong with a room; `nil` where nothing is.
    init?(_ overview: RoomOverview) {
        let (room, name) = (overview.room, overview.info?.name)
        if overview.areKeysUsedElsewhere {
            self.init(room: room, name: name, code: RoomTrouble.keysAreUsedElsewhere, remedy: "renew-keys")
        } else if let cause = overview.trouble {
            self.init(room: room, name: name, code: cause.code, number: cause.number, remedy: cause.remedy.code)
        } else {
            return nil
        }
    }
}
