import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// What a wish needs in the room as it is now.
enum Judgement {
    /// Nothing: it is so.
    case done
    /// It cannot be.
    case failed(code: String)
    /// Something else comes first.
    case waiting(code: String)
    /// The person is in from now on.
    case entering
    /// Key packages of an account.
    case claiming(AccountID)
    /// A message.
    case saying(NestedPart, ContentID?, [BlobID])
    /// A commit: of these proposals, and of those that wait.
    case committing([Proposal], [Evidence])
    /// A fresh group.
    case renewing
    /// A SelfRemove.
    case leaving

    /// Whether the relay is asked for something.
    var asksRelay: Bool {
        switch self {
        case .done, .failed, .waiting, .entering: false
        case .claiming, .saying, .committing, .renewing, .leaving: true
        }
    }
}

extension Wish {
    /// Whether it is the person's words, which are said in the order in which they were written.
    var isSaying: Bool { if case .say = self { true } else { false } }

    /// Whether it is true when it was said.
    var isSaid: Bool { isSaying }

    /// Whether a person can take it back while nothing was made for it.
    public var isDroppable: Bool {
        switch self {
        case .accept, .leave, .duty: false
        case .say, .invite, .remove, .role, .policy, .timer, .rename, .renewKeys, .renewRoom: true
        }
    }

    /// Whether it is that one of these accounts is out of the room.
    func isRemoval(of accounts: Set<AccountID>) -> Bool {
        if case .remove(let account) = self { accounts.contains(account) } else { false }
    }

    /// Whether nobody asked for it.
    var isDuty: Bool { if case .duty = self { true } else { false } }
}

extension RoomCore {
    /// Looks at a wish by the present state alone: what was made for it before does not count.
    func judge(_ intent: Intent, _ members: RoomMembers, _ step: StepDraft) -> Judgement {
        if let leaf = group?.ownLeaf, leavers.contains(leaf), intent.wish != .accept {
            return intent.wish == .leave ? leavingGoesOn(members) : .waiting(code: "leaving")
        }
        if let code = reasonToWait(for: intent.wish, members, step) { return .waiting(code: code) }
        return need(of: intent, members, step)
    }

    /// Why a wish waits, whatever it needs; `nil` where it does not.
    private func reasonToWait(for wish: Wish, _ members: RoomMembers, _ step: StepDraft) -> String? {
        switch wish {
        case .accept, .leave, .duty(.removingRevoked), .duty(.removingClosed), .duty(.newLeaf): return nil
        default: break
        }
        guard standing == .member || wish.isDuty else { return "not-accepted" }
        guard !isHeldBack(members, step) else { return "device-not-on-list" }
        guard let others = strangers(members, step), !wish.isRemoval(of: others) else { return nil }
        return "identity-differs"
    }

    /// What a wish needs where nothing keeps it waiting: `done` where it is so.
    func need(of intent: Intent, _ members: RoomMembers, _ step: StepDraft) -> Judgement {
        let own = step.device.account
        switch intent.wish {
        case .accept: return standing == .invited ? .entering : .done
        case .leave: return leaving(members, own)
        case .duty(.removingRevoked): return removingRevoked(members, step)
        case .duty(.removingClosed): return removingClosed(members, step)
        case .duty(.newLeaf): return hasPresentLeaf(step) ? .done : .committing([], [])
        case .say(let part, let inReplyTo, let blobs):
            return comesFirst(members) ?? .saying(part, inReplyTo, blobs)
        case .invite(let account, let identity): return inviting(account, identity, intent, members, step)
        case .remove(let account): return removing(account, members, own)
        case .role(let account, let role): return giving(role, to: account, members, own)
        case .policy(let policy): return allowing(policy, members, own)
        case .timer(let timer):
            guard members.room.timer != timer else { return .done }
            guard members.mayDescribe(own) else { return RoomRule.descriptionIsChangedByRight.asFailure }
            return changing(members) { $0.timer = timer }
        case .rename(let info): return renaming(info, intent, members, own)
        case .renewKeys: return intent.hasEcho ? .done : .committing([], [])
        case .renewRoom(let above):
            guard generation <= above else { return .done }
            return members.hasAdminsRights(own) ? .renewing : RoomRule.generationIsBegunByRight.asFailure
        case .duty(.removingLeavers): return leavers.isEmpty ? .done : .committing([], [])
        case .duty(.path): return schedule?.isDue(at: step.now) ?? false ? .committing([], []) : .done
        case .duty(.tellingTitle):
            guard !intent.hasEcho, let said = titleSaidAgain else { return .done }
            return comesFirst(members) ?? .saying(said, nil, [])
        }
    }

    /// What has to be before something is said: those who leave are out (H6), and this device has keys of its own making (H22).
    private func comesFirst(_ members: RoomMembers) -> Judgement? {
        let isAlone = members.leaves.count == 1
        guard !leavers.isEmpty || schedule?.isFirst ?? false && !isAlone else { return nil }
        return .committing([], [])
    }

    /// Whether this device's leaf says what the device is now.
    func hasPresentLeaf(_ step: StepDraft) -> Bool {
        group.map { $0.publicGroup[$0.ownLeaf]?.credential == step.device.credential.mls } ?? true
    }

    /// Whether this device knows of a leaf that is no longer on its account's list (H1): it reads on, and sends nothing.
    func isHeldBack(_ members: RoomMembers, _ step: StepDraft) -> Bool {
        !step.lists.isEmpty && members.leaves.values.contains { isRevoked($0, step) }
    }

    /// The accounts that have a leaf of another identity than the person knows of them; `nil` where none has. Nothing is sent to
    /// such a leaf, until the person has accepted that identity or the account is out (H1).
    private func strangers(_ members: RoomMembers, _ step: StepDraft) -> Set<AccountID>? {
        guard !step.pins.isEmpty else { return nil }
        let others = members.leaves.values.filter { leaf in
            step.pins[leaf.account].map { $0 != leaf.identity.key } ?? false
        }
        return others.isEmpty ? nil : Set(others.map(\.account))
    }

    private func isRevoked(_ leaf: RoomLeaf, _ step: StepDraft) -> Bool {
        step.lists[leaf.account]?.revokes(leaf) ?? false
    }

    /// Others' leaves that are no longer on their account's list go, one account at a time; it keeps a leaf or gets a seat (H8).
    private func removingRevoked(_ members: RoomMembers, _ step: StepDraft) -> Judgement {
        let revoked = members.leaves.filter { $0.value.account != step.device.account && isRevoked($0.value, step) }
        guard let account = revoked.values.map(\.account).min(), let list = step.lists[account] else { return .done }
        let leaves = revoked.filter { $0.value.account == account }.keys.sorted()
        let isLast = members.leaves(of: account).count == leaves.count
        return changing(members, leaves.map { .remove($0) }, [.deviceList(list.signed)]) {
            $0.lists[account] = $0.lists[account].map { max($0, list.version) } ?? list.version
            if isLast, let identity = members.identity(of: account) {
                $0.seats[account] = Seat(account: account, identity: identity)
            }
        }
    }

    /// What accounts have whose owners deleted them goes, one account at a time: leaves, seat and role (H29).
    private func removingClosed(_ members: RoomMembers, _ step: StepDraft) -> Judgement {
        guard let account = closed(members, step).first, let closing = step.closings[account] else { return .done }
        let leaves = members.leaves.filter { $0.value.account == account && !leavers.contains($0.key) }.keys
        return changing(members, leaves.sorted().map { .remove($0) }, [.closing(closing.signed)]) {
            $0.seats[account] = nil
            $0.roles[account] = nil
        }
    }

    // MARK: The room

    /// A commit that changes what binds the group to its room; seats that are not needed go with it (H2).
    private func changing(
        _ members: RoomMembers,
        _ proposals: [Proposal] = [],
        _ evidence: [Evidence] = [],
        _ change: (inout RoomExtension) -> Void
    ) -> Judgement {
        var room = members.room
        room.seats = room.seats.filter { members.leaves(of: $0.key).isEmpty }
        change(&room)
        guard room != members.room else { return .committing(proposals, evidence) }
        let extensions = Extensions(
            members.extensions.list.map { $0.type == RoomExtension.extensionType ? room.mls : $0 }
        )
        return .committing(proposals + [.groupContextExtensions(extensions)], evidence)
    }

    private func giving(
        _ role: RoomRole,
        to account: AccountID,
        _ members: RoomMembers,
        _ own: AccountID
    ) -> Judgement {
        guard members.contains(account) else {
            let isInvited = intents.contains { if case .invite(account, _) = $0.wish { true } else { false } }
            return isInvited ? .waiting(code: "invited-first") : RoomRule.rolesAreOfMembers.asFailure
        }
        guard members.role(of: account) != role else { return .done }
        guard members.hasOwnersRights(own) else { return RoomRule.rolesAreChangedByOwners.asFailure }
        return changing(members) { $0.roles[account] = role == .member ? nil : role }
    }

    private func allowing(_ policy: RoomPolicyBits, _ members: RoomMembers, _ own: AccountID) -> Judgement {
        let wanted = policy.subtracting(.isSelf).union(members.room.policy.intersection(.isSelf))
        guard members.room.policy != wanted else { return .done }
        guard members.hasOwnersRights(own) else { return RoomRule.policyIsChangedByOwners.asFailure }
        return changing(members) { $0.policy = wanted }
    }

    /// The information is said first, and then its digest is written (H27).
    private func renaming(
        _ info: RoomInfo,
        _ intent: Intent,
        _ members: RoomMembers,
        _ own: AccountID
    ) -> Judgement {
        let digest = info.digest(salt: intent.id)
        guard members.room.infoDigest != digest else { return .done }
        guard members.mayDescribe(own) else { return RoomRule.descriptionIsChangedByRight.asFailure }
        guard intent.hasEcho else { return comesFirst(members) ?? .saying(info.part, nil, []) }
        return changing(members) { $0.infoDigest = digest }
    }

    // MARK: Who is in it

    private func removing(_ account: AccountID, _ members: RoomMembers, _ own: AccountID) -> Judgement {
        guard members.contains(account) else { return .done }
        guard account != own else { return .failed(code: "leave-instead") }
        guard members.mayRemove(account, by: own) else { return RoomRule.removerMayRemove.asFailure }
        let leaves = members.leaves.filter { $0.value.account == account && !leavers.contains($0.key) }.keys
        return changing(members, leaves.sorted().map { .remove($0) }) {
            $0.seats[account] = nil
            $0.roles[account] = nil
        }
    }

    private func inviting(
        _ account: AccountID,
        _ identity: RoomIdentity,
        _ intent: Intent,
        _ members: RoomMembers,
        _ step: StepDraft
    ) -> Judgement {
        guard !members.contains(account) else { return .done }
        guard members.mayInvite(step.device.account) else { return RoomRule.inviterMayInvite.asFailure }
        guard let claimed = intent.claimed else { return .claiming(account) }
        let packages = claimed.usable(by: account, identity)
        var evidence: [Evidence] = []
        if members.room.lists[account] != nil, let list = claimed.signedList { evidence = [.deviceList(list)] }
        return changing(members, packages.map { .add($0) }, evidence) {
            guard packages.isEmpty else { return }
            $0.seats[account] = Seat(account: account, identity: identity)
        }
    }

    /// Leaving: an account's other leaves and its seat first; the last owner makes another one (H6).
    private func leaving(_ members: RoomMembers, _ own: AccountID) -> Judgement {
        let others = members.leaves.filter { $0.value.account == own && $0.key != group?.ownLeaf }.keys.sorted()
        let heir = members.heir(of: own)
        guard others.isEmpty, members.room.seats[own] == nil, heir == nil else {
            return changing(members, others.map { .remove($0) }) {
                $0.seats[own] = nil
                if let heir { $0.roles[heir] = .owner }
            }
        }
        return .leaving
    }

    /// One's SelfRemove has its number: others take one out; where all leave, nobody does, and the room closes.
    private func leavingGoesOn(_ members: RoomMembers) -> Judgement {
        Set(members.leaves.keys) == leavers ? .done : .waiting(code: "leaving")
    }
}

extension RoomMembers {
    /// Who becomes an owner when an account leaves that is the only one; `nil` where none has to.
    fileprivate func heir(of account: AccountID) -> AccountID? {
        let others = accounts.subtracting([account])
        guard role(of: account) == .owner, !others.contains(where: { role(of: $0) == .owner }) else { return nil }
        return others.max { left, right in
            role(of: left) == role(of: right) ? left > right : role(of: left) < role(of: right)
        }
    }
}

extension RoomRule {
    /// That a wish would break it.
    fileprivate var asFailure: Judgement { .failed(code: rawValue) }
}
