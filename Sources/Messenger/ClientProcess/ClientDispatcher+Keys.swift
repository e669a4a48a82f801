import MildamClientAPI

/// Which rooms have the keys that the device has now.
extension ClientDispatcher {
    func keysOfRooms(within seconds: Int) async throws(RoomFault) -> ClientAnswer {
        let waiting = try await rooms.roomsWithOldKeys(within: seconds)
        var (late, present): ([RoomKeys], [RoomKeys]) = ([], [])
        for overview in await rooms.rooms() where overview.standing == .member || overview.standing == .invited {
            let isLate = waiting.contains(overview.room)
            let line = RoomKeys(
                room: overview.room,
                name: overview.info?.name,
                arePresent: !isLate,
                code: isLate ? overview.trouble?.code : nil,
                number: isLate ? overview.trouble?.number : nil
            )
            if isLate { late.append(line) } else { present.append(line) }
        }
        return .keys(rooms: Array((late + present).prefix(LineLimits.rooms)))
    }
}
