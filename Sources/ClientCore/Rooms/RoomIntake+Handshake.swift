import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// What changes the group.
extension RoomCore {
    /// Somebody says that they leave (H6).
    mutating func takeProposal(
        _ message: NumberedMessage,
        _ proposal: PublicMessage,
        _ content: MLSMessage,
        _ step: inout StepDraft
    ) {
        if PlantedFault.ignoresLeavers.isPresent { return }
        guard case .member(let leaf) = proposal.content.sender,
            proposal.content.authenticatedData == LeavingMark.bytes
        else {
            refuse(message, .ruleBroken, &step)
            return
        }
        do {
            _ = try change(at: step) { (group) throws(MLSError) in try group.process(content) }
        } catch {
            refuse(message, RoomCore.cause(of: error), &step)
            return
        }
        compareSender(of: message, with: members?.leaves[leaf], &step)
        if leaf == group?.ownLeaf {
            // This device has not said so.
            stateIsOlder(message, isReadable: true, &step)
        }
        leavers.insert(leaf)
        planRemoval(&step)
        step.show(room, ShownEntry(.leaving, for: message))
    }

    /// A commit of somebody else, or of this device as it is no longer.
    mutating func takeCommit(
        _ message: NumberedMessage,
        _ commit: PublicMessage,
        _ content: MLSMessage,
        _ step: inout StepDraft
    ) {
        if let group, commit.content.sender == .member(group.ownLeaf), isAuthentic(commit, step) {
            stateIsOlder(message, isReadable: false, &step)
            return
        }
        let before = members
        if PlantedFault.judgesByList.isPresent, let before, isHeldBack(before, step) {
            refuse(message, .ruleBroken, &step)
            return
        }
        let next = RoomCore.extensions(in: commit)
        let processed: ProcessedMessage
        do {
            processed = try change(at: step) { (group) throws(MLSError) in try group.process(content) }
        } catch {
            refuse(commit: message, changing: next, error, &step)
            return
        }
        switch processed {
        case .removed: beRemoved(message, by: commit, next.flatMap { RoomExtension(in: $0) } ?? before?.room, &step)
        case .commit:
            let author = RoomCore.author(of: commit, in: before)
            compareSender(of: message, with: author, &step)
            compareHistory(of: commit, by: author, &step)
            enterEpoch(message, from: before, by: commit, &step)
            checkGroupInfo(of: message, &step)
        case .application, .proposal, .ownMessage: break
        }
    }

    /// Whether a commit of one's own leaf was signed with its key; nothing secret is needed for that.
    private func isAuthentic(_ commit: PublicMessage, _ step: StepDraft) -> Bool {
        guard var group = group?.publicGroup else { return false }
        return (try? group.process(commit, environment: step.environment)) != nil
    }

    /// A commit that cannot be followed. One of another epoch is in its place all the same: the relay takes none but of its own,
    /// and this device is not in that.
    private mutating func refuse(
        commit message: NumberedMessage,
        changing extensions: Extensions?,
        _ error: MLSError,
        _ step: inout StepDraft
    ) {
        if let extensions, RoomExtension.needsLaterVersion(extensions) {
            needUpdate(message, &step)
        } else if case .otherEpoch = error {
            refuse(ofOtherEpoch: message, &step)
        } else if RoomCore.cause(of: error) == .ruleBroken {
            // To come back would be to come into what was refused.
            step.show(room, ShownEntry(.unreadable(.ruleBroken), for: message))
            meet(.ruleBroken, message, isReadable: false, &step)
            haveNothingToLeave(&step)
        } else {
            refuse(message, RoomCore.cause(of: error), &step)
        }
    }

    /// A message of an epoch that this device is not in. A relay that was put back has gone on without a commit that it lost.
    mutating func refuse(ofOtherEpoch message: NumberedMessage, _ step: inout StepDraft) {
        let cause = Cause.commitNotProcessable(number: message.number)
        step.show(room, ShownEntry(.unreadable(cause), for: message))
        beInOtherEpoch(&step)
    }

    /// The group's extensions after a commit, where that changes them.
    private static func extensions(in commit: PublicMessage) -> Extensions? {
        guard case .commit(let content) = commit.content.body else { return nil }
        for case .proposal(.groupContextExtensions(let extensions)) in content.proposals { return extensions }
        return nil
    }

    /// What changes the group counts whoever the relay says it is of; that it is another's is told (H26).
    private func compareSender(of message: NumberedMessage, with leaf: RoomLeaf?, _ step: inout StepDraft) {
        guard let leaf, leaf.account != message.account || leaf.device != message.device else { return }
        step.show(room, ShownEntry(.unreadable(.mislabelled), for: message))
    }

    /// The leaf of who made a commit.
    private static func author(of commit: PublicMessage, in before: RoomMembers?) -> RoomLeaf? {
        if case .member(let leaf) = commit.content.sender { before?.leaves[leaf] } else { newcomer(of: commit) }
    }

    /// The leaf that a commit brings from outside.
    private static func newcomer(of commit: PublicMessage) -> RoomLeaf? {
        guard commit.content.sender == .newMemberCommit, case .commit(let content) = commit.content.body else {
            return nil
        }
        return content.path.flatMap { try? RoomLeaf(inTree: $0.leafNode) }
    }

    /// The group is in its next epoch: what was made for the last one is void, and what is wished is looked at anew.
    mutating func enterEpoch(
        _ message: NumberedMessage,
        from before: RoomMembers?,
        by commit: PublicMessage?,
        _ step: inout StepDraft
    ) {
        leavers = []
        (enteredAt, hasRelayGoneBack) = (message.number, false)
        live.leaversDueAt = nil
        loseRaces()
        readRoster()
        guard let before, let after = members else { return }
        let old = Set(before.leaves.values.map(\.client))
        freshSenders.formUnion(after.leaves.values.map(\.client).filter { !old.contains($0) })
        showMembers(from: before, message, &step)
        if let newcomer = commit.flatMap(RoomCore.newcomer) {
            if !old.contains(newcomer.client) { oweTitle(to: newcomer) }
            freshSenders.insert(newcomer.client)
            step.show(room, ShownEntry(.cameBack(RoomCore.reason(in: commit)), for: message))
        }
        if RoomCore.hasNewKeys(after, since: before) { step.show(room, ShownEntry(.newKeys, for: message)) }
        let (was, now) = (before.room, after.room)
        if was.roles != now.roles || was.policy != now.policy || was.timer != now.timer
            || was.infoDigest != now.infoDigest
        {
            step.show(room, ShownEntry(.settings, for: message))
        }
    }

    /// Whether a device has another signature key than it had: in its leaf, or in another one from outside.
    private static func hasNewKeys(_ after: RoomMembers, since before: RoomMembers) -> Bool {
        after.leaves.contains { index, leaf in
            guard before.leaves[index]?.signatureKey != leaf.signatureKey else { return false }
            let old = before.leaves.values.first { $0.device == leaf.device && $0.account == leaf.account }
            return old.map { $0.signatureKey != leaf.signatureKey } ?? false
        }
    }

    /// Shows who came in and who went since these were the members.
    mutating func showMembers(from before: RoomMembers?, _ message: NumberedMessage, _ step: inout StepDraft) {
        if let after = members { noteArrivals(since: before, among: after) }
        guard let kind = changes(since: before) else { return }
        step.show(room, ShownEntry(kind, for: message))
    }

    /// The same, of a device that came in again by a Welcome: whose commits that were, it has not read.
    func showMembers(from before: RoomMembers?, welcomedAt number: UInt64, _ step: inout StepDraft) {
        guard let kind = changes(since: before) else { return }
        step.show(room, ShownEntry(kind, at: number, stored: step.moment.wall))
    }

    private func changes(since before: RoomMembers?) -> ShownEntry.Kind? {
        guard let before, let after = members else { return nil }
        let joined = after.accounts.subtracting(before.accounts)
        let left = before.accounts.subtracting(after.accounts)
        return joined.isEmpty && left.isEmpty ? nil : .members(joined: joined, left: left)
    }

    /// Why a device came back, where its commit says so.
    private static func reason(in commit: PublicMessage?) -> RepairReason? {
        guard let bytes = commit?.content.authenticatedData, let reason = try? CommitReason(wireBytes: bytes) else {
            return nil
        }
        for case .repair(let repair) in reason.evidence { return repair }
        return nil
    }

    /// What was made in an epoch that is over was not taken, or it would have been read.
    mutating func loseRaces() {
        aside = []
        let epoch = group?.publicGroup.context.epoch
        for index in intents.indices {
            switch intents[index].progress {
            case .staged(let message, number: nil), .held(let message):
                guard message.epoch != epoch || message.generation != generation else { continue }
                intents[index].progress = .wanted
            case .wanted, .staged, .unsaid: continue
            }
        }
    }

    /// This device's leaf is gone.
    private mutating func beRemoved(
        _ message: NumberedMessage,
        by commit: PublicMessage,
        _ room: RoomExtension?,
        _ step: inout StepDraft
    ) {
        leavers = []
        recovery.owe(infoOf: nil)
        if RoomCore.newcomer(of: commit)?.client == step.device.client {
            step.tell(self.room, .keysAreUsedElsewhere)
            if foughtBackAs == step.credential { keysUsedElsewhere = step.credential }
            foughtBackAs = step.credential
            let cause = Cause.ownStateOlder(number: message.number)
            step.show(self.room, ShownEntry(.unreadable(cause), for: message))
            meet(cause, message, isReadable: false, &step)
            return
        }
        if let room, room.seats[step.device.account] != nil,
            room.lists[step.device.account].map({ $0 <= step.device.knownList.version }) ?? true
        {
            // The account is still a member: the device comes in from outside.
            standing = .seated
            isAccepted = true
            return
        }
        isAccepted = false
        // Nothing is to be mended any more, and no commit from outside is waited for.
        (trouble, joining) = (nil, nil)
        let hasLeft = intents.contains { $0.wish == .leave }
        standing = hasLeft ? .left : .removed
        if !hasLeft { step.tell(self.room, .removed) }
        step.show(self.room, ShownEntry(.members(joined: [], left: [step.device.account]), for: message))
        for intent in intents {
            if intent.wish == .leave {
                step.tell(self.room, .wishIsDone(intent.id, number: message.number))
            } else {
                giveUp(intent, code: "removed", &step)
            }
        }
        intents = []
    }

    /// Those who leave are taken out after a while, unless somebody else does it first (H6).
    mutating func planRemoval(_ step: inout StepDraft) {
        guard live.leaversDueAt == nil else { return }
        live.leaversDueAt = step.now + removalDelay(step)
    }

    /// How long a device waits before it does what each member could, in milliseconds: at the latest half a second for each leaf,
    /// and 30 seconds.
    func removalDelay(_ step: StepDraft) -> UInt64 {
        let leaves = UInt64(group?.publicGroup.members.count ?? 0)
        return step.draw(upTo: min(30_000, leaves * 500))
    }
}
