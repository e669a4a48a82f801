import MildamClientAPI
import MildamIdentity

/// Files that are sent and saved: what is begun goes on beside the answers, and its end is asked for by its id.
extension ClientDispatcher {
    /// Does what is asked for with a file.
    func transfer(_ ask: ClientAsk) async throws(RoomFault) -> ClientAnswer {
        guard let files = view.files else { throw RoomFault("no-account") }
        switch ask {
        case .sendFile(let room, let path, let text):
            let standing = try await view.overview(room).standing
            guard standing == .member || standing == .beginning else {
                throw RoomFault(ClientError.Code.wrongStanding.rawValue, ["standing": standing.rawValue])
            }
            return .wished(id: try await files.send(path, saying: text ?? "", to: room))
        case .saveFile(let room, let number, let path, let replacing):
            let begun = try await files.save(number, of: room, to: path, replacing: replacing)
            return .saving(id: begun.id, path: begun.path)
        case .cancelTransfer(let id):
            try await files.cancel(id)
            return .done
        default: throw RoomFault(ClientError.Code.unknownAsk.rawValue)
        }
    }
}

extension RoomFault {
    /// A field of an ask has not what it should have.
    static func badField(_ name: String) -> RoomFault { RoomFault(ClientError.Code.badLine.rawValue, ["field": name]) }
}
