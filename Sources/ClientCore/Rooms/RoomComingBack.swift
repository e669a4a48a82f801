import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// Coming into a room from outside: the one repair (H13), and the way in for who has a seat (H2).
extension RoomCore {
    /// Comes in, when it is time: after the log was read to its end, and not too often.
    mutating func comeBack(_ step: inout StepDraft) {
        guard live.acting == nil else { return }
        if let joining {
            if let number = joining.number {
                guard history.number < number else {
                    // It was passed over, or is not where the relay said it would be; the room has gone on.
                    self.joining = nil
                    backOff(&step)
                    return
                }
                // The log ends before that number: the relay has lost it.
                self.joining?.number = nil
            }
            live.acting = step.ask(.send(room, joining.message), for: .room(room))
            return
        }
        guard isDueToComeBack(&step) else { return }
        live.acting = step.ask(.group(room), for: .room(room))
    }

    private mutating func isDueToComeBack(_ step: inout StepDraft) -> Bool {
        // Somebody else has this device's keys: they are renewed first (H14).
        guard keysUsedElsewhere != step.credential, !isPausedOutside(&step) else { return false }
        guard var trouble else {
            if wantsOut { return true }
            guard isOutside else { return standing == .seated && isAccepted }
            return standing == .member && hasWaited(&step)
        }
        // A program that was not updated finds the same again.
        if trouble.cause == .newer { return !live.isNewer && hasWaited(&step) }
        if trouble.cause == .ruleBroken { return false }
        // Who leaves is replaced by nobody (H6).
        if let group, leavers.contains(group.ownLeaf) { return false }
        if trouble.isCounted { return true }
        guard hasWaited(&step) else { return false }
        // A day in which it was not at a stand: it begins anew.
        if step.moment.steadySeconds > repairs.blockedUntil + RepairBudget.longestWait { repairs.reset() }
        do {
            try repairs.take(
                namesAnothersCommit: trouble.isAnothers,
                hasReadLog: isLogRead || PlantedFault.repairsDuringCatchUp.isPresent,
                hasWelcome: waitingWelcome != nil,
                at: step.moment.steadySeconds
            )
        } catch {
            let until = repairs.blockedUntil * 1000
            step.wake(at: until)
            if !live.isToldStopped { step.tell(room, .stopped(trouble.cause, until: until)) }
            live.isToldStopped = true
            return false
        }
        trouble.isCounted = true
        self.trouble = trouble
        return true
    }

    /// Whether a drawn time is over, so that not all come at once (H13).
    private mutating func hasWaited(_ step: inout StepDraft) -> Bool {
        let leaves = group?.publicGroup.members.count ?? 0
        let due = live.repairAt ?? step.now + step.draw(upTo: RepairBudget.longestDelay(leaves: leaves))
        live.repairAt = due
        guard due > step.now else { return true }
        step.wake(at: due)
        return false
    }

    /// Whether the room may be in a generation whose beginning this device has not read, and not looked at.
    private var mayHaveMissedGeneration: Bool {
        switch trouble?.cause {
        case .behindRetention?, .recordsDamaged?, .newer?, .welcomeDoesNotOpen?: true
        default: standing == .seated
        }
    }

    /// Makes the commit from outside, of the GroupInfo that most accounts stand behind, or else the next one (H10).
    mutating func comeIn(_ reply: GroupReply, _ step: inout StepDraft) {
        guard trouble != nil || standing == .seated || isOutside, joining == nil, mayComeIn else { return }
        if wantsOut, hasNothing(in: reply, step) {
            haveNothingToLeave(&step)
            return
        }
        for info in reply.ordered {
            guard let made = try? commit(fromOutside: info, reply, step) else { continue }
            joining = made
            live.acting = step.ask(.send(room, made.message), for: .room(room))
            return
        }
        guard !reply.ordered.contains(where: { RoomCore.needsLaterVersion($0) }) else {
            needUpdate(since: history.number, &step)
            return
        }
        guard !isStranger(in: reply, step) else {
            beShutOut(&step)
            return
        }
        pauseOutside(&step)
        lookAtStore(&step)
    }

    /// Whether the account has neither a leaf nor a seat in the group: it was put out by what this device has not read.
    private func isStranger(in reply: GroupReply, _ step: StepDraft) -> Bool {
        let groups = reply.ordered.compactMap { try? present(by: $0, reply, step).members }
        return !groups.isEmpty && !groups.contains { $0.contains(step.device.account) }
    }

    /// Whether a GroupInfo is of a room of a later version.
    private static func needsLaterVersion(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= RoomLimits.groupInfo, case .groupInfo(let info)? = try? MLSMessage(wireBytes: bytes) else {
            return false
        }
        return RoomExtension.needsLaterVersion(info.groupContext.extensions)
    }

    /// A group that can be come into, and who is in it.
    private func outside(
        by bytes: [UInt8],
        _ reply: GroupReply,
        _ step: StepDraft
    ) throws -> (info: GroupInfo, group: PublicGroup, members: RoomMembers) {
        let found = try present(by: bytes, reply, step)
        guard reply.generation == generation || mayHaveMissedGeneration else { throw MLSError.otherGroup }
        return found
    }

    /// The room's group as the relay has it now, and who is in it. Its generation may have begun without this account, which was put
    /// out before.
    private func present(
        by bytes: [UInt8],
        _ reply: GroupReply,
        _ step: StepDraft
    ) throws -> (info: GroupInfo, group: PublicGroup, members: RoomMembers) {
        guard bytes.count <= RoomLimits.groupInfo, reply.tree.count <= RoomLimits.tree else { throw MLSError.tooLong }
        guard case .groupInfo(let info) = try MLSMessage(wireBytes: bytes) else { throw MLSError.notForMembers }
        let present = try PublicGroup(info, ratchetTree: reply.tree, environment: step.environment)
        let members = try RoomMembers(of: present)
        try members.check(asGroupOf: room, generation: reply.generation, seen: generation)
        guard !isPast(groupInfo: present.context, generation: reply.generation) else {
            throw MLSError.otherEpoch(present.context.epoch)
        }
        return (info, present, members)
    }

    /// The SelfRemoves that wait.
    private static func leaving(in reply: GroupReply) throws -> [PublicMessage] {
        var leaving: [PublicMessage] = []
        for proposal in reply.proposals {
            guard case .publicMessage(let message) = try MLSMessage(wireBytes: proposal) else { continue }
            leaving.append(message)
        }
        return leaving
    }

    /// Whether the account has no leaf in the group but such as leave already.
    private func hasNothing(in reply: GroupReply, _ step: StepDraft) -> Bool {
        guard let leaving = try? RoomCore.leaving(in: reply) else { return false }
        for bytes in reply.ordered {
            guard let members = try? outside(by: bytes, reply, step).members else { continue }
            return !members.leaves.contains { index, leaf in
                leaf.account == step.device.account && !leaving.contains { $0.content.sender == .member(index) }
            }
        }
        return false
    }

    private func commit(fromOutside bytes: [UInt8], _ reply: GroupReply, _ step: StepDraft) throws -> Joining {
        let (info, present, members) = try outside(by: bytes, reply, step)
        let leaving = try RoomCore.leaving(in: reply)
        var evidence: [Evidence] = [.deviceList(step.device.list)]
        if let reason = trouble?.reason { evidence.append(.repair(reason)) }
        let join = try ExternalJoin(
            info,
            ratchetTree: reply.tree,
            with: step.device.keyPackage(
                lifetime: KeyPackageStock.lifetime(at: step.moment.wallSeconds),
                isLastResort: false,
                step.randomness
            ),
            replacing: members.leaves.first { $0.value.client == step.device.client }?.key,
            selfRemoves: leaving,
            authenticatedData: CommitReason(seen: history.seenByCommit, evidence: evidence).wireBytes,
            environment: step.environment
        )
        let message = OutgoingMessage(
            id: MessageID.random(from: step.randomness),
            kind: .commit,
            generation: reply.generation,
            epoch: present.context.epoch,
            body: join.commit.wireBytes,
            groupInfo: MLSMessage.groupInfo(try join.groupInfo(sendsTree: false)).wireBytes
        )
        return Joining(group: join.group, generation: reply.generation, message: message)
    }

    /// The commit from outside has its number: the device is in.
    mutating func comeIn(by joining: Joining, _ message: NumberedMessage, _ step: inout StepDraft) {
        step.show(room, ShownEntry(.cameBack(trouble?.reason), for: message))
        // How many messages this device has sent is not known for sure: each had a number.
        counter = max(counter, history.number)
        let before = roster
        if trouble != nil { step.tell(room, .troubleIsOver) }
        trouble = nil
        self.joining = nil
        group = joining.group
        generation = joining.generation
        (isOutside, hasRelayGoneBack, enteredAt) = (false, false, message.number)
        readRoster()
        showMembers(from: before, message, &step)
        // What others said in between is missing for a reason that has been told.
        freshSenders.formUnion(members?.leaves.values.map(\.client) ?? [])
        leavers = []
        live.repairAt = nil
        live.outsidePause = nil
        live.isToldStopped = false
        live.leaversDueAt = nil
        if standing == .seated { standing = isAccepted ? .member : .invited }
        if standing == .invited, !isLeaving { step.tell(room, .invited) }
        schedule = UpdateSchedule(renewedAt: step.now, draw: step.draw(upTo:))
        loseRaces()
    }
}

extension RoomCore.Trouble {
    /// As the commit names it.
    fileprivate var reason: RepairReason? {
        let named: RepairReason.Cause? =
            switch cause {
            case .behindRetention: .behindRetention
            case .commitNotProcessable: .commitNotProcessable
            case .ownStateOlder, .recordsDamaged: .ownStateOlder
            case .welcomeDoesNotOpen: .welcomeDoesNotOpen
            case .dueProposalRefused: .dueProposalRefused
            case .differentHistory, .repeated, .forged, .mislabelled, .newer, .senderNoMember, .ruleBroken,
                .beforeComingIn, .lostAtRestore:
                nil
            }
        return named.map { RepairReason(number: number, hash: digest, cause: $0) }
    }
}
