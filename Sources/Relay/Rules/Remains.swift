import MildamIdentity

/// What nobody can read any more, and is still to be deleted. It goes in small steps between the operations of others, so that
/// no send waits for the whole.
enum Remains: Equatable, Sendable {
    /// A room that its last member has left: GroupInfos, messages before its first one, snapshots, and blobs.
    case room(RoomID)
    /// A mailbox whose device has dropped items: those before its first one.
    case mailbox(MailboxAddress)
    /// A device of a deleted account: its mailbox, and then itself.
    case device(MailboxAddress)

    /// Blobs that one step deletes.
    static let blobsAtOnce = 200

    /// Takes the first step, and leaves the rest for later.
    func begin(_ facts: inout Facts) throws(Missing) {
        if try step(&facts) { facts.leave(self) }
    }

    /// Takes one step.
    ///
    /// - Returns: whether there may be more.
    func step(_ facts: inout Facts) throws(Missing) -> Bool {
        facts.changes.deletes = true
        switch self {
        case .room(let room):
            try facts.dropGroupInfos(of: room)
            if try dropMessages(leftIn: room, &facts) { return true }
            if try facts.dropSnapshots(of: room, below: .max) { return true }
            let blobs = try facts.blobs(.blobs(room))
            facts.remove(blobs, of: room)
            return blobs.count == Self.blobsAtOnce
        case .mailbox(let address):
            guard let first = try facts.device(address)?.mailbox.lowerBound else { return false }
            return try dropItems(of: address, below: first, &facts)
        case .device(let address):
            if try dropItems(of: address, below: .max, &facts) { return true }
            facts.removeDevice(address)
            return false
        }
    }

    private func dropMessages(leftIn room: RoomID, _ facts: inout Facts) throws(Missing) -> Bool {
        guard let first = try facts.room(room)?.first else { return false }
        let portion = try facts.portion(.oldMessages(room, below: first, storedBefore: .max))
        facts.drop(portion, of: room)
        return portion.isFull
    }

    private func dropItems(
        of address: MailboxAddress,
        below first: UInt64,
        _ facts: inout Facts
    ) throws(Missing) -> Bool {
        let dropped = try facts.items(.oldItems(address, below: first))
        guard let last = dropped.portion.last else { return false }
        facts.dropItems(of: address, through: last)
        try facts.giveBack(dropped.shares, at: address)
        return dropped.portion.isFull
    }
}
