import MildamGroupKey
import MildamIdentity

extension Messenger {
    /// The accounts that this profile has pinned, by handle, and those that it was told of in rooms under another key.
    public func contacts() async throws(MessengerError) -> [ContactSummary] {
        let pins = try await pinsByHandle()
        var contacts = pins.values.map { ContactSummary($0) }
        var told: [Member] = []
        for fellow in try await fellows() {
            let (member, pin) = (fellow.member, pins[fellow.member.handle])
            guard pin?.isSameKey(as: member.pin) != true, !told.contains(member) else { continue }
            told.append(member)
            var contact = ContactSummary(member, pin: pin)
            contact.room = fellow.room
            contacts.append(contact)
        }
        return contacts.sorted { ($0.handle.text, $1.state) < ($1.handle.text, $0.state) }
    }

    private func pinsByHandle() async throws(MessengerError) -> [Handle: AccountPin] {
        try await alone { (messenger, store) throws(MessengerError) in
            var pins: [Handle: AccountPin] = [:]
            for record in try store.records(.pin) {
                let handle = try record.pin().handle
                pins[handle] = try messenger.pin(handle, store)
            }
            return pins
        }
    }

    /// Meets an account: its records are fetched from the relay, while the profile is nobody's, and its identity key is pinned
    /// as seen. From then on its invitations are no requests.
    public func addContact(_ handle: Handle) async throws(MessengerError) -> MetContact {
        let shown = try await RelayDoor(self, clock: clock).records(of: handle)
        let contact = try await alone { (messenger, store) throws(MessengerError) -> ContactSummary in
            let isNew = try messenger.pin(handle, store) == nil
            let account = try messenger.account(store)
            _ = try messenger.believe(shown, of: handle, account, store)
            guard let pin = try messenger.pin(handle, store) else { throw .unknownAccount(handle) }
            try messenger.say(.known, of: pin.account, account, store)
            return ContactSummary(pin, isNew: isNew)
        }
        try await tellStandings()
        return MetContact(contact: contact, refused: takeRefusedStandings())
    }

    /// Pins the identity key that an account shows now, in the place of the one that is pinned. While the relay is asked, the
    /// profile is nobody's.
    ///
    /// - Parameter fingerprint: what the other person read out: the key is taken only if this is its fingerprint.
    /// - Throws: `otherFingerprint` with the one that the relay shows; what is pinned stays.
    public func accept(_ handle: Handle, fingerprint: String) async throws(MessengerError) -> ContactSummary {
        let shown = try await RelayDoor(self, clock: clock).records(of: handle)
        return try await alone { (messenger, store) throws(MessengerError) -> ContactSummary in
            let account = try messenger.account(store)
            let found = try messenger.verify(shown, of: handle, evenIfChanged: true, account, store)
            guard found.record.fingerprint.isTyped(fingerprint) else {
                throw .otherFingerprint(handle: handle, shown: found.record.fingerprint)
            }
            let pin = found.pin.believed(.compared)
            try messenger.keep(pin, store)
            return ContactSummary(pin)
        }
    }
}
