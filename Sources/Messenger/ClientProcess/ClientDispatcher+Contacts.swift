import MildamClientAPI
import MildamIdentity
import MildamRelayAPI

/// People whom the profile meets, and its links.
extension ClientDispatcher {
    /// - Throws: as ``ContactService``.
    func answer(aboutContacts ask: ClientAsk) async throws(RoomFault) -> ClientAnswer {
        switch ask {
        case .addContact(let handle): return .contact(row: ContactRow(try await book.addContact(handle)))
        case .addContactByLink(let text):
            guard let link = try? InviteLink(text: text) else { throw .badField("link") }
            return .contact(row: ContactRow(try await book.addContact(by: link)))
        case .acceptContact(let handle, let fingerprint):
            let contact = try await book.accept(handle, fingerprint: fingerprint)
            return .contact(row: ContactRow(MetContact(contact: contact, refused: [])))
        case .makeLink(let days):
            let made = try await book.makeLink(days: days)
            return .link(text: made.link.text, number: made.number, expires: made.link.expires)
        case .revokeLinks(let number): return .revoked(count: try await book.revokeLink(number))
        default: throw RoomFault(ClientError.Code.unknownAsk.rawValue)
        }
    }
}

extension ContactRow {
    fileprivate init(_ met: MetContact) {
        self.init(
            handle: met.contact.handle,
            fingerprint: met.contact.fingerprint,
            isNew: met.contact.isNew,
            state: met.contact.state,
            refused: StandingRefusal.list(of: met.refused)
        )
    }
}

extension StandingRefusal {
    /// As many as a line has; `nil` for none.
    static func list(of refused: [RefusedStanding]) -> [StandingRefusal]? {
        guard !refused.isEmpty else { return nil }
        return refused.prefix(StandingRefusal.most).map { refusal in
            StandingRefusal(
                handle: refusal.handle,
                isBlock: refusal.standing == .blocked,
                reason: RoomItem.beginning(of: refusal.reason, bytes: LineLimits.name)
            )
        }
    }
}
