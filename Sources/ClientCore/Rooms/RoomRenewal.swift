import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// The next generation of a room: a fresh group of one leaf, with seats for all others (H9).
extension RoomCore {
    /// Makes the group, which waits for its number.
    ///
    /// - Returns: whether it is on its way; if not, the wish is gone, and the person was told.
    mutating func renew(at index: Int, _ members: RoomMembers, _ step: inout StepDraft) -> Bool {
        if sendHeld(at: index, &step) { return true }
        do {
            let next = try nextGeneration(after: members, step)
            let info = MLSMessage.groupInfo(try next.groupInfo())
            renewing = next
            send(info, as: MessageID.random(from: step.randomness), .generation, at: index, &step)
            return true
        } catch {
            fail(at: index, code: "cannot-be-renewed", &step)
            return false
        }
    }

    private func nextGeneration(after members: RoomMembers, _ step: StepDraft) throws -> Group {
        guard let context = group?.publicGroup.context else { throw MLSError.inactive }
        let own = step.device.account
        let seats = members.accounts.subtracting([own]).compactMap { (account) -> Seat? in
            members.identity(of: account).map { Seat(account: account, identity: $0) }
        }
        let binding = RoomExtension(
            room: self.room,
            generation: generation &+ 1,
            previous: PreviousGroup(endingWith: context),
            roles: members.room.roles.filter { members.contains($0.key) },
            seats: seats,
            lists: members.room.lists,
            policy: members.room.policy,
            timer: members.room.timer,
            infoDigest: members.room.infoDigest
        )
        let bundle = try step.device.keyPackage(
            lifetime: KeyPackageStock.lifetime(at: step.moment.wallSeconds),
            isLastResort: false,
            step.randomness
        )
        let next = try Group(
            with: bundle,
            extensions: Extensions([RoomExtension.requirements, binding.mls]),
            environment: step.environment
        )
        try RoomMembers(of: next.publicGroup).check(asGenerationAfter: members, endingWith: context)
        return next
    }

    /// The generation that this device made has its number.
    mutating func beginGeneration(_ message: NumberedMessage, _ index: Int, _ step: inout StepDraft) {
        let isMine = intents[index].outgoing?.body == message.body
        intents[index].progress = .wanted
        guard isMine, let next = renewing else {
            meet(.commitNotProcessable(number: message.number), message, isReadable: false, &step)
            return
        }
        if trouble != nil { step.tell(room, .troubleIsOver) }
        trouble = nil
        group = next
        renewing = nil
        (enteredAt, hasRelayGoneBack) = (message.number, false)
        generation += 1
        readRoster()
        leavers = []
        live.leaversDueAt = nil
        loseRaces()
        schedule = UpdateSchedule(renewedAt: step.now, draw: step.draw(upTo:))
        step.show(room, ShownEntry(.renewed, for: message))
    }

    /// Somebody begins the next generation: it counts by what the room knows of them, and this device comes in from outside.
    mutating func takeGeneration(_ message: NumberedMessage, _ info: GroupInfo, _ step: inout StepDraft) {
        guard !RoomExtension.needsLaterVersion(info.groupContext.extensions) else {
            needUpdate(message, &step)
            return
        }
        guard let leaves = members?.leaves.count, let next = try? following(info, step) else {
            refuse(message, .ruleBroken, &step)
            return
        }
        if !next.leaves.values.allSatisfy({ $0.account == message.account && $0.device == message.device }) {
            step.show(room, ShownEntry(.unreadable(.mislabelled), for: message))
        }
        leaveBehind(message, for: next, leaves: leaves, &step)
    }

    /// Somebody begins the next generation while this device cannot read the room. Who is in it and what they may do has changed
    /// since, perhaps: it is begun under the identity that is known of them, if they are known, and this account is in it.
    mutating func passGeneration(_ message: NumberedMessage, _ step: inout StepDraft) {
        guard message.generation == generation, message.body.count <= RoomLimits.groupInfo,
            case .groupInfo(let info)? = try? MLSMessage(wireBytes: message.body)
        else { return }
        guard !RoomExtension.needsLaterVersion(info.groupContext.extensions) else {
            needUpdate(message, &step)
            return
        }
        guard let next = try? beginning(info, step), next.contains(step.device.account),
            let creator = next.leaves.values.first, next.leaves.count == 1,
            roster?.identity(of: creator.account).map({ $0 == creator.identity }) ?? true,
            trouble?.cause != .ruleBroken || isLawful(next, by: creator.account)
        else { return }
        leaveBehind(message, for: next, leaves: roster?.leaves.count ?? 1, &step)
    }

    /// Whether a group is begun by who may, as it was when that was known last, and gives nobody another role.
    private func isLawful(_ next: RoomMembers, by creator: AccountID) -> Bool {
        guard let known = members ?? roster else { return false }
        return known.hasAdminsRights(creator) && next.room.roles == known.room.roles
    }

    private mutating func leaveBehind(
        _ message: NumberedMessage,
        for next: RoomMembers,
        leaves: Int,
        _ step: inout StepDraft
    ) {
        if trouble != nil { step.tell(room, .troubleIsOver) }
        generation += 1
        hasRelayGoneBack = false
        goOutside(next)
        recovery.owe(infoOf: nil)
        renewing = nil
        joining = nil
        leavers = []
        trouble = nil
        loseRaces()
        forgetDuties()
        live.leaversDueAt = nil
        live.repairAt = step.now + step.draw(upTo: RepairBudget.longestDelay(leaves: leaves))
        step.show(room, ShownEntry(.renewed, for: message))
    }

    /// The members of the next generation, if this is its beginning.
    private func following(_ info: GroupInfo, _ step: StepDraft) throws -> RoomMembers {
        guard let group, let members else { throw MLSError.inactive }
        let next = try beginning(info, step)
        try next.check(asGenerationAfter: members, endingWith: group.publicGroup.context)
        return next
    }

    /// The members of a group, if it is of the generation that follows the highest that was seen.
    private func beginning(_ info: GroupInfo, _ step: StepDraft) throws -> RoomMembers {
        let bound = RoomMembers.leavesAtBeginning
        let group = try PublicGroup(info, maximumLeafCount: bound, environment: step.environment)
        let next = try RoomMembers(beginning: group)
        try next.check(asGroupOf: room, generation: generation &+ 1, seen: generation)
        return next
    }
}
