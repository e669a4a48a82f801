extension Messenger {
    /// Examines what waits to be sent, and what could not be: texts, files and changes of rooms.
    ///
    /// - Parameter rooms: all rooms that are MLS groups.
    func examineOutbox(_ rooms: [RoomOverview], _ findings: inout Findings) async {
        let (wishes, unsaid) = (rooms.reduce(0) { $0 + $1.wishes.count }, rooms.reduce(0) { $0 + $1.unsaid.count })
        do throws(MessengerError) {
            let (files, failed) = try await alone { (_, store) throws(MessengerError) in
                let all = try store.records(.sendingFile)
                let files = all.count { $0.failure == nil }
                let earlier = try store.record(.unsaid, []) ?? []
                return (files, all.count - files + earlier.count + unsaid)
            }
            let waiting = wishes + files
            guard failed > 0 else {
                let words = waiting == 0 ? "nothing waits" : "\(waiting) to be sent once the relay is reached"
                return findings.ok(.outbox, words)
            }
            findings.wrong(
                .outbox,
                "\(failed) could not be sent, and \(waiting) wait",
                "`mildam outbox list` says why; `mildam outbox drop ID` drops one"
            )
        } catch {
            findings.wrong(.outbox, error, nil)
        }
    }
}
