import MildamClientAPI
import MildamIdentity

/// Files that are sent and saved: what is begun goes on beside the answers, and its end is asked for by its id.
extension ClientDispatcher {
    /// Does what is asked for with a file.
    func transfer(_ ask: ClientAsk) async throws(RoomFault) -> ClientAnswer {
        guard let files = view.files else { throw RoomFault("no-account") }
        switch ask {
        case .sendFile(let room, let path, let text, let id):
            let standing = try await view.overview(room).standing
            guard standing == .member || standing == .beginning else {
                throw RoomFault(ClientError.Code.wrongStanding.rawValue, ["standing": standing.rawValue])
            }
            if let id, try await isSaid(id, in: room) { return .wished(id: id) }
            return .wished(id: try await files.send(path, saying: text ?? "", to: room, as: id ?? .random()))
        case .saveFile(let room, let number, let path, let replacing):
            let begun = try await files.save(number, of: room, to: path, replacing: replacing)
            return .saving(id: begun.id, path: begun.path)
        case .cancelTransfer(let id):
            try await files.cancel(id)
            return .done
        default: throw RoomFault(ClientError.Code.unknownAsk.rawValue)
        }
    }

    /// Among how many of a room's last messages one is looked for that is asked for again.
    private static let lately = 500

    /// Whether a message was said lately: whoever asks for it again has not heard what an earlier client answered.
    private func isSaid(_ message: MessageID, in room: RoomID) async throws(RoomFault) -> Bool {
        try await rooms.entries(of: room, .last(count: ClientDispatcher.lately)).contains { $0.id == message }
    }
}

extension RoomFault {
    /// A field of an ask has not what it should have.
    static func badField(_ name: String) -> RoomFault { RoomFault(ClientError.Code.badLine.rawValue, ["field": name]) }
}
