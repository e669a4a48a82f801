import MildamClientAPI

extension Messenger {
    /// Examines the rooms that are MLS groups, as they are kept: nothing is asked of the relay, and nothing is gone on with.
    func examineGroups(_ findings: inout Findings) async {
        do throws(RoomFault) {
            let overviews = try await GroupRooms(of: self).rooms()
            await examineOutbox(overviews, &findings)
            let troubles = overviews.compactMap { RoomTrouble($0) }
            guard !troubles.isEmpty else {
                let joined = overviews.count { $0.standing == .member }
                return findings.ok(.groups, "\(joined) joined, nothing is wrong with any")
            }
            let names = troubles.map { $0.name ?? "\($0.room)" }.joined(separator: ", ")
            findings.wrong(.groups, "\(troubles.count) of \(overviews.count) troubled: \(names)", troubles)
        } catch {
            findings.notTried(.outbox, "groups comes first")
            findings.wrong(
                .groups,
                error.description,
                "take the profile from a backup; keep a copy of this one until that works",
                error.code == "not-readable" ? .damaged : .other,
                code: error.code
            )
        }
    }
}
