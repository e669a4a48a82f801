import MildamIdentity
import MildamRelayAPI

/// What a room takes: the one place where a send is allowed or refused, after its id was found to be new.
///
/// Pure: it reads no store. What it needs to know of accounts and devices outside the room is handed in.
enum SendRules {
    /// What the rules need to know of the accounts and devices that a change names.
    struct Directory: Sendable {
        /// Those of the accounts to be added that exist.
        var accounts: Set<AccountID> = []
        /// Those of the envelopes' devices that exist, and what becomes of the envelope at each.
        var mailboxes: [MailboxAddress: Intake] = [:]
        /// The mailboxes in which the sender has had nothing: each is a row more.
        var newShares = 0
        /// Those of the shown links that are open.
        var links: Set<LinkID> = []
        /// Those of the accounts to be added that the sender may bring in without more; `nil` for all of them.
        var acquainted: Set<AccountID>?
        /// The bytes that the sender has caused.
        var used = 0
        /// Those that the room's creator has, for whom its members count; needed where some are added.
        var usedByCreator = 0
    }

    /// The room as it is once the message has got the number `room.next`, or why it is refused.
    static func judge(
        _ request: SendRequest,
        by sender: AccountID,
        in room: Room?,
        knowing directory: Directory,
        _ quota: RelayQuota = RelayQuota()
    ) -> Result<Room, APIError> {
        Result { () throws(APIError) in
            try checkSizes(request)
            guard var room else { throw APIError(.unknownRoom, "there is no such room") }
            guard room.group == nil else {
                throw APIError(.badRequest, "the room is an MLS group: its messages go to the group")
            }
            guard room.members[sender] != nil else { throw APIError(.notAMember, "this account is not a member") }
            try checkEpoch(request, in: room)
            if let change = request.change {
                guard change.after == room.next - 1 else {
                    throw APIError(
                        .staleNumber,
                        "the room has gone on since the change was prepared",
                        number: room.next - 1
                    )
                }
                try apply(change, by: sender, to: &room, knowing: directory, quota)
                try checkEnvelopes(of: change, in: room, knowing: directory)
            }
            try checkQuota(request, in: room, quota)
            try checkAccount(request, by: sender, in: room, knowing: directory, quota)
            room.bytes = (room.members.isEmpty ? 0 : room.bytes) + request.body.count
            room.next += 1
            return room
        }
    }

    /// What can be refused without looking at anything.
    static func checkSizes(_ request: SendRequest) throws(APIError) {
        guard !request.body.isEmpty else { throw APIError(.badRequest, "body is empty") }
        guard request.body.count <= Limits.message else { throw tooLarge("body", Limits.message) }
        guard let change = request.change else { return }
        guard change.accounts.count <= Limits.changedMembers else {
            throw APIError(.tooLarge, "change.accounts has more than \(Limits.changedMembers) entries")
        }
        guard change.envelopes.count <= Limits.envelopes else {
            throw APIError(.tooLarge, "change.envelopes has more than \(Limits.envelopes) entries")
        }
        for envelope in change.envelopes {
            guard !envelope.body.isEmpty else { throw APIError(.badRequest, "an envelope's body is empty") }
            guard envelope.body.count <= Limits.envelope else { throw tooLarge("an envelope's body", Limits.envelope) }
        }
        guard Set(change.accounts).count == change.accounts.count else {
            throw APIError(.badRequest, "change.accounts names an account twice")
        }
        let addresses = Set(change.envelopes.map { MailboxAddress(account: $0.account, device: $0.device) })
        guard addresses.count == change.envelopes.count else {
            throw APIError(.badRequest, "change.envelopes names a device twice")
        }
        try checkShape(change)
    }

    /// Each action has its own parts.
    private static func checkShape(_ change: MembershipChange) throws(APIError) {
        let links = change.links ?? []
        guard links.isEmpty || change.action == .add else {
            throw APIError(.badRequest, "change.links goes with add only")
        }
        guard Set(links.map(\.account)).count == links.count, links.allSatisfy({ change.accounts.contains($0.account) })
        else { throw APIError(.badRequest, "change.links has one link at most for each of change.accounts") }
        guard links.allSatisfy({ $0.id != nil }) else {
            throw APIError(.badRequest, "a link's secret is not \(Limits.linkSecret) bytes")
        }
        switch change.action {
        case .add, .remove:
            guard !change.accounts.isEmpty else { throw APIError(.badRequest, "change.accounts is empty") }
        case .renew:
            guard change.accounts.isEmpty else { throw APIError(.badRequest, "renew names no accounts") }
        case .leave:
            guard change.accounts.isEmpty, change.envelopes.isEmpty else {
                throw APIError(.badRequest, "leave names no accounts and brings no envelopes")
            }
        }
    }

    /// Whether the message is for the generation and epoch that are due.
    private static func checkEpoch(_ request: SendRequest, in room: Room) throws(APIError) {
        let isDue =
            switch request.change?.action {
            case nil, .add:
                request.generation == room.generation && request.epoch == room.epoch && !room.renewalDue
            case .leave:
                request.generation == room.generation && request.epoch == room.epoch
            case .remove, .renew:
                request.generation == room.generation.addingReportingOverflow(1).partialValue
                    && request.generation != 0 && request.epoch == 0
            }
        guard isDue else {
            throw APIError(
                .staleEpoch,
                room.renewalDue ? "somebody left; the room's key is to be renewed first" : "the room has gone on",
                generation: room.generation,
                epoch: room.epoch
            )
        }
    }

    private static func apply(
        _ change: MembershipChange,
        by sender: AccountID,
        to room: inout Room,
        knowing directory: Directory,
        _ quota: RelayQuota
    ) throws(APIError) {
        switch change.action {
        case .add:
            for account in change.accounts {
                guard directory.accounts.contains(account) else {
                    throw APIError(.unknownAccount, "there is no account \(account)")
                }
                guard room.members.updateValue(room.next, forKey: account) == nil else {
                    throw APIError(.alreadyAMember, "account \(account) is a member already")
                }
            }
            guard room.members.count <= quota.roomMembers else {
                throw APIError(.quotaExceeded, "a room has \(quota.roomMembers) members at most")
            }
            try checkLinks(of: change, knowing: directory)
        case .remove:
            for account in change.accounts {
                guard account != sender else { throw APIError(.badRequest, "nobody removes themselves: they leave") }
                guard room.remove(account) else {
                    throw APIError(.badRequest, "account \(account), which is to be removed, is not a member")
                }
            }
            startGeneration(in: &room)
        case .renew:
            startGeneration(in: &room)
        case .leave:
            _ = room.remove(sender)
            room.renewalDue = true
            // Nobody is left to read: all that stays is this last message, so that a retry of it finds its number.
            if room.members.isEmpty { room.first = room.next }
        }
    }

    /// A link that is shown has to be open; where the relay asks for one, whoever does not know the sender has to have
    /// given it.
    private static func checkLinks(of change: MembershipChange, knowing directory: Directory) throws(APIError) {
        for link in change.links ?? [] {
            guard let id = link.id, directory.links.contains(id) else {
                throw APIError(
                    .linkRequired,
                    "the link of account \(link.account) is not open any more; ask for another"
                )
            }
        }
        guard let acquainted = directory.acquainted else { return }
        let shown = Set((change.links ?? []).map(\.account))
        for account in change.accounts where !acquainted.contains(account) && !shown.contains(account) {
            throw APIError(.linkRequired, "account \(account) can be reached by a link of its own only")
        }
    }

    private static func startGeneration(in room: inout Room) {
        room.generation += 1
        room.epoch = 0
        room.renewalDue = false
    }

    /// Envelopes go only to devices of those who are members once the change is made.
    private static func checkEnvelopes(
        of change: MembershipChange,
        in room: Room,
        knowing directory: Directory
    ) throws(APIError) {
        for envelope in change.envelopes {
            let address = MailboxAddress(account: envelope.account, device: envelope.device)
            guard room.members[envelope.account] != nil, let intake = directory.mailboxes[address] else {
                throw APIError(.badRequest, "an envelope is for device \(envelope.device), which is no member's")
            }
            // A full mailbox keeps nobody from being put out of other rooms.
            guard change.action != .add || intake != .full else {
                throw APIError(
                    .quotaExceeded,
                    "the mailbox of device \(envelope.device) is full, or has all that it takes from this account"
                )
            }
        }
    }

    /// The longest message of a change that is taken by a full room, in bytes: many times what clients send.
    private static let freeBody = 1 << 14
    /// The longest message of somebody who leaves that counts within no quota, in bytes: twice what clients send. Whoever comes
    /// and goes again and again is to gain little by it.
    private static let freeFarewell = 1 << 10

    /// What is said, and who joins, has to fit; nobody is kept from going or from putting out, whatever lies there.
    private static func checkQuota(_ request: SendRequest, in room: Room, _ quota: RelayQuota) throws(APIError) {
        let isAlwaysTaken =
            switch request.change?.action {
            case .leave, .remove, .renew: request.body.count <= freeBody
            case nil, .add: false
            }
        guard isAlwaysTaken || room.bytes + request.body.count <= quota.roomBytes else {
            throw APIError(.quotaExceeded, "the room has all of the \(quota.roomBytes) bytes that it may have")
        }
    }

    /// What a send causes, in bytes, that counts for its sender, and out of what that comes. Whoever leaves always can: they
    /// were brought in at somebody's cost. Who is put out, and a new key, take from the reserve as well.
    static func need(
        of request: SendRequest,
        by sender: AccountID,
        in room: Room,
        newShares: Int
    ) -> (bytes: Int, allowance: Allowance) {
        let bytes = DiskUsage.row + request.body.count
        guard let change = request.change else { return (bytes, .ordinary) }
        let envelopes = change.envelopes.reduce(newShares * DiskUsage.row) { $0 + DiskUsage.row + $1.body.count }
        let isShort = request.body.count <= freeBody
        switch change.action {
        case .leave: return (bytes, request.body.count <= freeFarewell ? .always : .ordinary)
        case .remove, .renew: return (bytes + envelopes, isShort ? .reserve : .ordinary)
        case .add:
            let members = room.creator == sender ? change.accounts.count * DiskUsage.row : 0
            return (bytes + envelopes + members, .ordinary)
        }
    }

    /// What a send causes has to fit into what its sender may have, and new members into what the room's creator may.
    private static func checkAccount(
        _ request: SendRequest,
        by sender: AccountID,
        in room: Room,
        knowing directory: Directory,
        _ quota: RelayQuota
    ) throws(APIError) {
        if let change = request.change, change.action == .add {
            guard directory.usedByCreator + change.accounts.count * DiskUsage.row <= quota.accountBytes else {
                throw APIError(
                    .quotaExceeded,
                    "whoever made the room has all of the \(quota.accountBytes) bytes that they may have"
                )
            }
        }
        let (bytes, allowance) = need(of: request, by: sender, in: room, newShares: directory.newShares)
        switch allowance {
        case .always: return
        case .ordinary: guard directory.used + bytes <= quota.accountBytes else { throw .accountIsFull(quota) }
        case .reserve:
            guard directory.used + bytes <= quota.accountBytes + quota.accountReserve else {
                throw .accountIsFull(quota)
            }
        }
    }

    private static func tooLarge(_ what: String, _ limit: Int) -> APIError {
        APIError(.tooLarge, "\(what) is longer than \(limit) bytes")
    }
}
