import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamRelayAPI

extension RelayReply {
    /// What came of a request that was not carried out: the relay refuses, or it cannot be known whether it is done.
    init(_ error: MessengerError) {
        guard case .refused(let refusal) = error else {
            self = .unreachable
            return
        }
        self = RelayRefusal(refusal).map { RelayReply.refused($0) } ?? .unreachable
    }
}

extension RelayRefusal {
    /// What a relay's error means for what was asked; `nil` where it is about who asks.
    init?(_ error: APIError) {
        switch error.code {
        case .unauthorized, .wrongCredentials, .sessionEnded, .invalidProof, .nonceNeeded: return nil
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

    /// Why somebody cannot be invited whose account is not as it was when that was wished; `nil` where it may be again.
    init?(ofLookingUp error: MessengerError) {
        switch error {
        case .unknownAccount: self = .other(code: APIErrorCode.unknownAccount.rawValue)
        case .identity: self = .other(code: RoomFault(error).code)
        default: return nil
        }
    }
}

extension NumberedMessage {
    /// A message of a room that is an MLS group.
    ///
    /// - Throws: `relayAnswer` for one that cannot be in such a room, or is longer than any.
    init(_ message: RoomMessage) throws(MessengerError) {
        let kind: Kind
        switch message.kind {
        case .application: kind = .application
        case .proposal: kind = .proposal
        case .commit: kind = .commit
        case .generation: kind = .generation
        case .membership: throw .relayAnswer("a message of another kind of room")
        }
        guard let id = message.id, message.number > 0, message.body.count <= Limits.message else {
            throw .relayAnswer("a message of a room without its id or number, or too long")
        }
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

extension RoomMessage {
    /// The epoch that the room is in once it is in the log.
    var epochAfter: UInt64 {
        switch kind {
        case .application, .membership, .proposal: epoch
        case .commit: epoch &+ 1
        case .generation: 0
        }
    }
}

extension LogPage {
    /// Messages as the socket brings them, without a gap between them.
    ///
    /// - Parameter incarnation: the relay's store, as it was named when the socket was opened.
    /// - Throws: `relayAnswer`.
    init(live messages: [RoomMessage], of room: RoomID, _ incarnation: [UInt8]) throws(MessengerError) {
        var read: [NumberedMessage] = []
        for message in messages { read.append(try NumberedMessage(message)) }
        self.init(
            room: room,
            messages: read,
            // What is live says nothing of what is no longer kept.
            first: 1,
            last: messages.last?.number ?? 0,
            epoch: messages.last?.epochAfter ?? 0,
            incarnation: incarnation
        )
    }

    /// A page of the log.
    ///
    /// - Parameter incarnation: the relay's store, as it was named when the connection began, for a page that does not name it.
    /// - Throws: `relayAnswer` where numbers do not ascend, or the epoch is not said.
    init(_ page: MessagePage, of room: RoomID, _ incarnation: [UInt8]) throws(MessengerError) {
        var read: [NumberedMessage] = []
        for message in page.messages {
            guard message.number > read.last?.number ?? 0, message.number < page.next else {
                throw .relayAnswer("numbers of a room that do not ascend")
            }
            read.append(try NumberedMessage(message))
        }
        guard let epoch = page.epoch ?? page.messages.last?.epochAfter else {
            throw .relayAnswer("a page of a room that does not say its epoch")
        }
        self.init(
            room: room,
            messages: read,
            first: page.first,
            last: page.next - min(page.next, 1),
            epoch: epoch,
            incarnation: page.incarnation?.bytes ?? incarnation,
            lost: (page.lost ?? []).map { $0.first...$0.last }
        )
    }
}
