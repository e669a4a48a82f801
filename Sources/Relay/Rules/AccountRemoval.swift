import MildamIdentity

/// Deletes an account: sessions, second factor, log, mailboxes, devices, records and verifier go; it is put out of its
/// rooms; what it wrote there stays for the others.
///
/// Its row stays without any of that, under a digest in the handle's place: nobody takes handle or id again, and is
/// believed to be who had them.
struct AccountRemoval: Sendable {
    let account: AccountID
    /// What is served in its place for ever, where its owner has signed it.
    var closing: [UInt8]?
    /// What stands in a handle's place from here on.
    let tombstone: @Sendable (Handle) -> String

    func perform(_ facts: inout Facts, at now: Int64) throws(Missing) {
        guard let handle = try facts.account(account)?.handle else { return }
        try SessionRules.end(of: account, as: nil, &facts, at: now) { _ in true }
        facts.removeFactor(of: account)
        facts.removeAudit(of: account)
        try facts.removeConsent(of: account)
        try leaveRooms(&facts)
        let bundle = try facts.bundle(of: account) ?? []
        facts.empty(account, named: handle, bundle: bundle, leaving: tombstone(handle))
        if let closing { facts.close(account, with: closing) }
        for device in try facts.devices(of: account) {
            let address = MailboxAddress(account: account, device: device)
            try facts.removeKeyPackages(of: address)
            try Remains.device(address).begin(&facts)
        }
    }

    /// Nobody is asked, and no message tells of it: the relay cannot write one that members believe. Their clients find
    /// the account missing, and take it out by its closing; where the operator removed it, an owner or admin does.
    private func leaveRooms(_ facts: inout Facts) throws(Missing) {
        for id in try facts.rooms(of: account) {
            guard let before = try facts.room(id) else { continue }
            let after = before.without(account, wasLeaving: try facts.isLeaving(account, before))
            facts.put(after, replacing: before)
            // Where the others have all said that they leave, nobody is left in it.
            facts.tell(.removed(id, before.members.keys.filter { after.members[$0] == nil }.sorted()))
            if after.members.isEmpty { try Remains.room(id).begin(&facts) }
        }
    }
}
