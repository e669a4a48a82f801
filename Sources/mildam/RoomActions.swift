import MildamIdentity
import MildamMessenger
import MildamTerminal

extension Action {
    private var room: String { invocation.operand("ROOM") }

    func createRoom() async throws {
        let room = try await messenger().createRoom(invocation.operand("NAME"))
        try report.answer(room) { "made \(shown(room.name))  \(room.room)" }
    }

    func invite() async throws {
        let contact = try await messenger().invite(try handle("mildam room invite"), to: room)
        try report.answer(contact) {
            """
            invited \(contact.handle)\(contact.isNew ? ", whom this profile had not met before" : "")
            fingerprint  \(contact.fingerprint)
            """
        }
    }

    func join() async throws {
        let joined = try await messenger().join(room)
        try report.answer(joined) { "joined \(shown(joined.name)): \(names(joined))" }
    }

    func leaveRoom() async throws {
        let messenger = try await messenger()
        try await messenger.leave(room)
        let left = try await messenger.showRoom(room, fetching: false).room
        try report.answer(left) { "left \(shown(left.name))" }
    }

    func removeFromRoom() async throws {
        let messenger = try await messenger()
        let handle = try handle("mildam room remove")
        try await messenger.remove(handle, from: room)
        let room = try await messenger.showRoom(room, fetching: false).room
        try report.answer(room) { "removed \(handle); the room has a new key, number \(room.generation)" }
    }

    func mendRoom() async throws {
        let (room, putOut) = try await messenger().mend(room)
        try report.answer(MendAnswer(room: room, putOut: putOut)) {
            "\(putOut) put out; members of \(shown(room.name)) are \(names(room))"
        }
    }

    private struct MendAnswer: Encodable {
        var room: RoomSummary
        var putOut: Int
    }

    func listRooms() async throws {
        let rooms = try await messenger().rooms(fetching: !invocation.flag("offline"))
        try report.answer(["rooms": rooms]) {
            if rooms.isEmpty { return "no rooms yet: mildam room create NAME" }
            return rooms.map { room in
                let standing =
                    room.standing == "invited"
                    ? "invited by \(room.invitedBy?.text ?? "?"): mildam room join \(room.room)" : room.standing
                return DisplayWidth.padded(shown(room.name), to: 20) + "  " + room.room.description + "  "
                    + standing + "  " + names(room)
            }.joined(separator: "\n")
        }
    }

    func showRoom() async throws {
        let (room, members) = try await messenger().showRoom(room, fetching: !invocation.flag("offline"))
        try report.answer(RoomAnswer(room: room, members: members)) {
            let head = "\(shown(room.name))  \(room.room)  \(room.standing)  key \(room.generation)"
            return
                ([head]
                + members.map { member in
                    DisplayWidth.padded(member.handle.text, to: 32) + "  " + member.fingerprint
                }).joined(separator: "\n")
        }
    }

    private struct RoomAnswer: Encodable {
        var room: RoomSummary
        var members: [ContactSummary]
    }

    private func names(_ room: RoomSummary) -> String {
        room.members.map(\.text).joined(separator: ", ")
    }
}

/// A name that somebody else chose, safe to print.
func shown(_ text: String) -> String { TerminalText.sanitized(text) }
