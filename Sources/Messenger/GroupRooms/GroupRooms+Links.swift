import FoundationEssentials
import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// Links that others gave this profile: each is shown to the relay with the commit that brings in who made it, and is then used up.
extension GroupRooms {
    /// The links that are shown with a message: of those whom it is made to bring in.
    func links(with message: OutgoingMessage, in room: RoomID) async throws(MessengerError) -> [ShownLink] {
        guard message.kind == .commit, let intents = present[room]?.intents else { return [] }
        var guests: Set<AccountID> = []
        for intent in intents where intent.staged?.id == message.id {
            if case .invite(let guest, _) = intent.wish { guests.insert(guest) }
        }
        guard !guests.isEmpty else { return [] }
        return try await messenger.givenLinks(of: guests)
    }

    /// Forgets links that were shown, where they are used, or nobody is let in by them any more. One that cannot be forgotten now
    /// is shown once more, and is then not open.
    func forget(_ links: [ShownLink], after happenings: [Happening]) async {
        guard happenings.contains(where: \.usesLinksUp) else { return }
        try? await messenger.forgetLinks(of: links.map(\.account))
    }
}

extension Happening {
    /// Whether links that were shown with what is answered are good for nothing more.
    fileprivate var usesLinksUp: Bool {
        switch self {
        case .reply(_, .accepted): true
        case .reply(_, .refused(let refusal)): refusal.code == APIErrorCode.linkRequired.rawValue
        default: false
        }
    }
}

extension Messenger {
    /// The links that this profile was given of accounts, ascending by account.
    fileprivate func givenLinks(of guests: Set<AccountID>) async throws(MessengerError) -> [ShownLink] {
        try await alone { (_, store) throws(MessengerError) -> [ShownLink] in
            var links: [ShownLink] = []
            for guest in guests.sorted() {
                guard let secret = try store.key(.link, guest.bytes) else { continue }
                let bytes = unsafe secret.withUnsafeBytes { unsafe Data($0) }
                links.append(ShownLink(account: guest, secret: bytes))
            }
            return links
        }
    }

    fileprivate func forgetLinks(of guests: [AccountID]) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in
            for guest in guests { try store.removeKey(.link, guest.bytes) }
        }
    }
}
