import MildamIdentity

extension Messenger {
    /// The accounts that this profile has pinned, by handle.
    public func contacts() async throws(MessengerError) -> [ContactSummary] {
        try await alone { (messenger, store) throws(MessengerError) in
            var contacts: [ContactSummary] = []
            for record in try store.records(.pin) {
                let pin = try record.pin()
                contacts.append(
                    ContactSummary(handle: pin.handle, fingerprint: pin.fingerprint.description, isNew: false)
                )
            }
            return contacts.sorted { $0.handle.text < $1.handle.text }
        }
    }

    /// Pins the identity key that an account shows now, in the place of the one that is pinned.
    ///
    /// - Parameter fingerprint: what the other person read out: the key is taken only if this is its fingerprint.
    /// - Throws: `otherFingerprint` with the one that the relay shows; what is pinned stays.
    public func accept(_ handle: Handle, fingerprint: String) async throws(MessengerError) -> ContactSummary {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let found = try await messenger.lookUp(handle, evenIfChanged: true, account, store)
            guard found.record.fingerprint.isTyped(fingerprint) else {
                throw .otherFingerprint(handle: handle, shown: found.record.fingerprint)
            }
            try messenger.keep(found.pin, store)
            messenger.verified[handle] = found
            return ContactSummary(
                handle: handle,
                fingerprint: found.record.fingerprint.description,
                isNew: false
            )
        }
    }
}
