import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamRelayAPI

extension RelayReply {
    /// What came of a request.
    init(_ result: Result<RelayReply, APIError>) {
        switch result {
        case .success(let reply): self = reply
        case .failure(let refusal): self = .refused(RelayRefusal(refusal))
        }
    }
}

extension RelayRefusal {
    /// What a relay's error means for what was asked.
    init(_ error: APIError) {
        switch error.code {
        case .invalidCommit: self = .invalidCommit(rule: error.rule ?? "")
        case .commitRate: self = .commitRate
        case .rateLimited, .unavailable, .internalError: self = .busy
        // Nothing was stored; there may be room later.
        case .storageFull, .quotaExceeded: self = .full
        case .idReused: self = error.number.map { .idReused(number: $0) } ?? .other(code: error.code.rawValue)
        case .notAMember, .unknownRoom: self = .forbidden
        default: self = .other(code: error.code.rawValue)
        }
    }
}

extension NumberedMessage {
    /// A message of a room that is an MLS group; `nil` for one that is in no such room.
    init?(_ message: RoomMessage) {
        let kind: Kind
        switch message.kind {
        case .application: kind = .application
        case .proposal: kind = .proposal
        case .commit: kind = .commit
        case .generation: kind = .generation
        case .membership: return nil
        }
        guard let id = message.id else { return nil }
        self.init(
            number: message.number,
            generation: UInt64(message.generation),
            account: message.account,
            device: message.device,
            id: id,
            kind: kind,
            stored: UInt64(clamping: message.stored),
            body: [UInt8](message.body),
            externalPub: message.externalPub.map { [UInt8]($0) }
        )
    }
}

extension LogPage {
    /// A page of the log.
    init(_ page: MessagePage, of room: RoomID) {
        self.init(
            room: room,
            messages: page.messages.compactMap { NumberedMessage($0) },
            first: page.first,
            last: page.next - min(page.next, 1),
            epoch: page.epoch ?? 0,
            incarnation: page.incarnation?.bytes ?? [],
            lost: (page.lost ?? []).map { $0.first...$0.last }
        )
    }
}
