import MildamClientCore
import MildamContent
import MildamIdentity

/// What rooms are called: the room information whose digest the group's context has (H27), as the core was told it, or found
/// among a room's entries.
struct RoomTitles {
    /// How many entries are looked through from the end of a room on, where nothing else is known.
    static let depth = 5000
    private static let part = 500

    private var known: [RoomID: (digest: [UInt8], info: RoomInfo)] = [:]
    /// Rooms whose entries were looked through, and for which digest.
    private var searched: [RoomID: [UInt8]] = [:]
    /// What was said of a room and has not been written into its context yet.
    private var said: [RoomID: [(digest: [UInt8], info: RoomInfo)]] = [:]

    /// Takes note of an entry that says what a room is called.
    mutating func take(_ entry: ShownEntry, of room: RoomID) {
        guard let found = RoomTitles.title(in: entry) else { return }
        said[room] = Array((said[room] ?? []).suffix(7)) + [found]
    }

    /// Forgets what a room is called.
    mutating func forget(_ room: RoomID) {
        known[room] = nil
        searched[room] = nil
        said[room] = nil
    }

    /// What a room is called.
    mutating func info(of room: RoomCore, in store: some RoomRecords) -> RoomInfo? {
        if case .beginning(let info) = room.standing { return info }
        guard let digest = room.members?.room.infoDigest, !digest.isEmpty else {
            return room.info ?? known[room.room]?.info
        }
        if let title = known[room.room], title.digest == digest { return title.info }
        if let told = room.info {
            known[room.room] = (digest, told)
            return told
        }
        let heard = (said[room.room] ?? []).last(where: { $0.digest == digest })
        guard let found = heard == nil ? search(room.room, for: digest, store) : heard else {
            return known[room.room]?.info
        }
        known[room.room] = found
        return found.info
    }

    private mutating func search(
        _ room: RoomID,
        for digest: [UInt8],
        _ store: some RoomRecords
    ) -> (digest: [UInt8], info: RoomInfo)? {
        guard searched[room] != digest else { return nil }
        searched[room] = digest
        var window = EntryWindow.last(count: RoomTitles.part)
        var left = RoomTitles.depth
        while left > 0, let entries = try? store.entries(of: room, window), let first = entries.first {
            let titles = entries.compactMap { RoomTitles.title(in: $0) }
            if let found = titles.last(where: { $0.digest == digest }) { return found }
            left -= entries.count
            window = .before(first.number, count: RoomTitles.part)
        }
        return nil
    }

    private static func title(in entry: ShownEntry) -> (digest: [UInt8], info: RoomInfo)? {
        guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes),
            case .roomInfo(let info) = content.kind
        else { return nil }
        return (info.digest(salt: content.salt), info)
    }
}
