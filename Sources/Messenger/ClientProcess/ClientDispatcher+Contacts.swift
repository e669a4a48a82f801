import MildamClientAPI
import MildamIdentity
import MildamRelayAPI

/// People whom the profile meets, and its links.
extension ClientDispatcher {
    /// - Throws: as ``ContactService``.
    func answer(aboutContacts ask: ClientAsk) async throws(RoomFault) -> ClientAnswer {
        switch ask {
        case .addContact(let handle): return await known(try await book.addContact(handle))
        case .addContactByLink(let text):
            guard let link = try? InviteLink(text: text) else { throw .badField("link") }
            return await known(try await book.addContact(by: link))
        case .acceptContact(let handle, let fingerprint):
            let contact = try await book.accept(handle, fingerprint: fingerprint)
            return await known(MetContact(contact: contact, refused: []))
        case .makeLink(let days):
            let made = try await book.makeLink(days: days)
            return .link(text: made.link.text, number: made.number, expires: made.link.expires)
        case .revokeLinks(let number): return .revoked(count: try await book.revokeLink(number))
        default: throw RoomFault(ClientError.Code.unknownAsk.rawValue)
        }
    }

    /// What somebody asked who is known from now on are invitations. A request that cannot be believed, or not be looked at now, is
    /// what it was.
    private func known(_ met: MetContact) async -> ClientAnswer {
        if let requests, let waiting = try? await requests.requests(fetching: true).requests {
            for request in waiting where request.claimed == met.contact.handle {
                _ = try? await requests.acceptRequest("\(request.room)", joining: false)
            }
        }
        return .contact(row: ContactRow(met))
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
