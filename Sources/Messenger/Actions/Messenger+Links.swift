import FoundationEssentials
import MildamClientAPI
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// A link that this profile made.
public struct LinkSummary: Codable, Sendable {
    /// Its number.
    public var number: Int64
    /// When it runs out, in seconds since 1970.
    public var expires: Int64
}

/// Links: made for others, and taken from them.
extension Messenger {
    /// Makes a link, by which one account reaches this one past the strangers' part, once. While the relay is told, the profile
    /// is nobody's.
    ///
    /// - Parameter days: how long it is open.
    /// - Returns: the link, and the number by which it can be taken back.
    public func makeLink(days: Int64) async throws(MessengerError) -> (link: InviteLink, number: Int64) {
        let expires = clock.seconds + min(max(days, 1), LineLimits.linkDays.upperBound) * 86_400
        let (link, id) = try await newLink(until: expires)
        try await RelayDoor(self, clock: clock).ask { (relay, access) throws(MessengerError) -> Void in
            try await relay.putLink(id, LinkRequest(expires: expires), access)
        }
        let number = try await alone { (messenger, store) throws(MessengerError) -> Int64 in
            var links = try store.record(.openLinks, []) ?? OpenLinks()
            let number = links.add(id, expires: expires, at: messenger.clock.seconds)
            try store.put(links, as: .openLinks, [])
            return number
        }
        return (link, number)
    }

    /// A link that nobody knows yet, and what the relay will know it by.
    private func newLink(until expires: Int64) async throws(MessengerError) -> (link: InviteLink, id: LinkID) {
        try await alone { (messenger, store) throws(MessengerError) -> (link: InviteLink, id: LinkID) in
            let account = try messenger.account(store)
            var secret = SecureRandom.data(count: InviteLink.secretSize)
            defer { secret.wipe() }
            guard let id = LinkID(secret: secret) else { throw .cryptography }
            do {
                let link = try InviteLink(
                    to: try messenger.ownRecord(account),
                    at: account.relayAddress,
                    secret: SymmetricKey(data: secret),
                    expires: expires
                )
                return (link, id)
            } catch {
                throw MessengerError(error)
            }
        }
    }

    /// The links that this profile made, and neither took back nor saw run out; and how many of them were used, as far as this
    /// device has taken its mail. Which ones, the relay does not say.
    public func links() async throws(MessengerError) -> (links: [LinkSummary], used: Int) {
        try await alone { (messenger, store) throws(MessengerError) in
            let (links, now) = (try store.record(.openLinks, []) ?? OpenLinks(), messenger.clock.seconds)
            return (
                links.made(at: now).map { LinkSummary(number: $0.number, expires: $0.expires) },
                links.used(at: now)
            )
        }
    }

    /// Takes links back: from here on nobody reaches this account by them. While the relay is told, the profile is nobody's.
    ///
    /// - Parameter number: which; `nil` for all of them.
    /// - Returns: how many were taken back.
    /// - Throws: `unknownLink`; `transport`, when the relay cannot be told: what it was told of before is taken back.
    public func revokeLink(_ number: Int64?) async throws(MessengerError) -> Int {
        let revoked = try await alone { (messenger, store) throws(MessengerError) -> [OpenLinks.Link] in
            _ = try messenger.account(store)
            let links = try store.record(.openLinks, []) ?? OpenLinks()
            let named = links.made(at: messenger.clock.seconds).filter { number == nil || $0.number == number }
            if let number, named.isEmpty { throw .unknownLink(number) }
            return named
        }
        let door = RelayDoor(self, clock: clock)
        for link in revoked {
            try await door.ask { (relay, access) throws(MessengerError) -> Void in
                try await relay.deleteLink(link.id, access)
            }
            try await alone { (_, store) throws(MessengerError) -> Void in
                var links = try store.record(.openLinks, []) ?? OpenLinks()
                links.remove(link)
                try store.put(links, as: .openLinks, [])
            }
        }
        return revoked.count
    }

    /// Meets who made a link: the account is looked up, while the profile is nobody's, and known from then on if it is the
    /// link's, to the key. The link is kept, and shown to the relay once with the next invitation of that account.
    ///
    /// - Throws: `linkOfAnotherRelay`, `linkRanOut`; `linkDiffers`, when the relay shows another account or key for the
    ///   handle: nothing is believed then.
    public func addContact(by link: InviteLink) async throws(MessengerError) -> MetContact {
        try await alone { (messenger, store) throws(MessengerError) -> Void in
            let account = try messenger.account(store)
            guard link.relay == account.relay else { throw .linkOfAnotherRelay(address: link.address) }
            guard link.expires > messenger.clock.seconds else { throw .linkRanOut(link.handle) }
        }
        let shown = try await RelayDoor(self, clock: clock).records(of: link.handle)
        let contact = try await alone { (messenger, store) throws(MessengerError) -> ContactSummary in
            let account = try messenger.account(store)
            let known = try messenger.pin(link.handle, store)
            let found = try messenger.verify(shown, of: link.handle, account, store)
            guard link.isOf(found.record) else { throw .linkDiffers(link.handle) }
            let pin = found.pin.following(known)
            try store.transaction { () throws(MessengerError) in
                try messenger.keep(pin, store)
                try store.put(link.secret, as: .link, link.account.bytes)
                try messenger.say(.known, of: link.account, account, store)
            }
            return ContactSummary(pin, isNew: known == nil)
        }
        try await tellStandings()
        return MetContact(contact: contact, refused: takeRefusedStandings())
    }
}
