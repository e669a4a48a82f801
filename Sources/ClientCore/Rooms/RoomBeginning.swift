import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// How a room begins for a device: it makes it, or is welcomed.
extension RoomCore {
    /// A room that this device makes; it owns it.
    ///
    /// - Parameter older: the room of the first kind that it goes on from; `nil` for none.
    /// - Throws: an `MLSError`.
    static func making(
        _ room: RoomID,
        _ info: RoomInfo,
        _ policy: RoomPolicyBits,
        after older: OlderRoom? = nil,
        _ step: StepDraft
    ) throws(MLSError) -> RoomCore {
        let binding = RoomExtension(
            room: room,
            previous: older?.end.previous,
            roles: [step.device.account: .owner],
            policy: policy
        )
        let extensions = Extensions([RoomExtension.requirements, binding.mls])
        var core = RoomCore(room, .beginning(info), generation: 0, history: RunningHistory())
        let bundle = try step.device.keyPackage(
            lifetime: KeyPackageStock.lifetime(at: step.moment.wallSeconds),
            isLastResort: false,
            step.randomness
        )
        core.group = try Group(with: bundle, extensions: extensions, environment: step.environment)
        core.readRoster()
        core.schedule = UpdateSchedule(renewedAt: step.now, draw: step.draw(upTo:))
        return core
    }

    /// A room that goes on from one of the first kind: of the same name, and with its members, each of whom is invited (H28).
    ///
    /// - Throws: an `MLSError`.
    static func making(_ room: RoomID, after older: OlderRoom, _ step: StepDraft) throws(MLSError) -> RoomCore {
        var core = try making(room, older.info, older.policy, after: older, step)
        for member in older.members where member.account != step.device.account {
            let invitation = Wish.invite(member.account, member.identity)
            core.wish(invitation, id: MessageID.random(from: step.randomness), step)
            guard member.role > .member else { continue }
            core.wish(.role(member.account, member.role), id: MessageID.random(from: step.randomness), step)
        }
        return core
    }

    /// Asks the relay to make the room; again, until it answers.
    mutating func begin(_ step: inout StepDraft) {
        guard live.acting == nil, var group else { return }
        group.environment = step.environment
        guard let info = try? group.groupInfo(sendsTree: false) else { return }
        let bytes = MLSMessage.groupInfo(info).wireBytes
        live.acting = step.ask(.create(room, groupInfo: bytes, tree: group.ratchetTree), for: .room(room))
    }

    /// The relay has the room: its name is said.
    mutating func haveBegun(_ info: RoomInfo, _ step: inout StepDraft) {
        standing = .member
        live.failures = 0
        let name = Intent(.rename(info), id: MessageID.random(from: step.randomness), wished: step.moment.wall)
        intents.insert(name, at: 0)
    }

    /// The relay does not make the room: who wants to leave it has left, and what else is wished waits.
    mutating func haveNotBegun(_ refusal: RelayRefusal, _ step: inout StepDraft) {
        guard let leaving = intents.first(where: { $0.wish == .leave }) else {
            tellWaiting(code: refusal.code, &step)
            return
        }
        leaveAtOnce(leaving.id, &step)
    }

    /// A Welcome came. A stranger's stays as it is until it is accepted (H7).
    mutating func take(_ arrived: ArrivedWelcome, _ stock: inout KeyPackageStock, _ step: inout StepDraft) {
        guard joining == nil else { return }
        // One for an epoch that this device has been past leads back to what it has read.
        guard group == nil || arrived.number > history.number else { return }
        guard !isIn || trouble != nil else {
            // By what the log has before it, this device may be out, and invited again.
            if arrived.number > waitingWelcome?.number ?? 0 { waitingWelcome = arrived }
            return
        }
        open(arrived, &stock, &step)
    }

    private var isIn: Bool { !isOut && (group.map { $0.ending == nil } ?? false) }

    /// Whether this device is out of the room, whatever it still has of a group: it was shut out, or was never in.
    private var isOut: Bool {
        switch standing {
        case .requested, .left, .removed: true
        case .beginning, .seated, .invited, .member: false
        }
    }

    private mutating func open(_ arrived: ArrivedWelcome, _ stock: inout KeyPackageStock, _ step: inout StepDraft) {
        guard arrived.isOfKnownSender || isAccepted || isIn else {
            guard !wantsOut else {
                haveNothingToLeave(&step)
                return
            }
            waitingWelcome = arrived
            standing = .requested
            step.tell(room, .invited)
            return
        }
        enter(by: arrived, &stock, &step)
    }

    /// Whether a Welcome is to be opened once the log has said that this device is out of the room.
    package func awaits(_ arrived: ArrivedWelcome) -> Bool { waitingWelcome == arrived }

    /// Whether a Welcome waits that came before the log had said that this device is out of the room.
    var isOutWithWelcome: Bool {
        guard let waitingWelcome, standing != .requested, joining == nil else { return false }
        return waitingWelcome.number > history.number && (group?.ending != nil || isOutside)
    }

    /// Whether a Welcome waits that leads in at the next message, and what the log had before that is no longer kept: this
    /// device can have been out of the room, and invited again.
    var hasWelcomePastGap: Bool {
        guard let waitingWelcome, standing != .requested, joining == nil, case .behindRetention? = trouble?.cause else {
            return false
        }
        return waitingWelcome.number == history.number + 1
    }

    /// Opens a Welcome that came before the log was read, where the log has put this device out since, or ends before the Welcome
    /// while the device cannot go on. One that the log has gone past without that says nothing.
    ///
    /// - Returns: whether there was one to be opened.
    mutating func openLateWelcome(_ stock: inout KeyPackageStock, _ step: inout StepDraft) -> Bool {
        guard let arrived = waitingWelcome, standing != .requested, group != nil || isOutside else { return false }
        guard arrived.number > history.number else {
            waitingWelcome = nil
            return false
        }
        guard isOutWithWelcome || hasWelcomePastGap || trouble != nil && isLogRead && joining == nil else {
            return false
        }
        waitingWelcome = nil
        open(arrived, &stock, &step)
        return true
    }

    /// The person accepts.
    mutating func accept(_ stock: inout KeyPackageStock, _ step: inout StepDraft) {
        isAccepted = true
        if isOutside, standing == .invited { standing = .member }
        if let waitingWelcome, !isIn { enter(by: waitingWelcome, &stock, &step) }
    }

    private mutating func enter(by arrived: ArrivedWelcome, _ stock: inout KeyPackageStock, _ step: inout StepDraft) {
        waitingWelcome = nil
        let named = RoomCore.keyPackages(namedBy: arrived)
        for bundle in stock.bundles where (try? bundle.keyPackage.reference()).map({ named.contains($0) }) ?? false {
            guard let next = try? joined(by: arrived, with: bundle, step) else { continue }
            stock.use(bundle.keyPackage)
            // One that was kept back, or is shown again, opens nothing.
            guard !isPast(welcome: next.group.publicGroup.context, generation: arrived.generation) else { break }
            let before = roster
            // Who came in while it was away is not known.
            lastArrival = max(history.number, arrived.number) + 1
            begin(at: arrived, &step)
            // The log is asked for that commit, whatever was read of it before.
            welcomedAt = arrived.number
            live.isTold = false
            // Of what this device said before it came in, others may remember the count.
            counter = max(counter, arrived.number)
            group = next.group
            titles = next.title.map { [$0] } ?? titles
            generation = arrived.generation
            (isOutside, hasRelayGoneBack, enteredAt) = (false, false, arrived.number)
            readRoster()
            showMembers(from: before, welcomedAt: arrived.number, &step)
            invitedBy = next.inviter
            leavers = []
            trouble = nil
            let leaves = next.group.publicGroup.members.count
            schedule = UpdateSchedule(addedAt: step.now, leaves: leaves, draw: step.draw(upTo:))
            freshSenders.formUnion(members?.leaves.values.map(\.client) ?? [])
            if !isAccepted { step.tell(room, .invited) }
            return
        }
        // What a device knows that is in the room stays: the Welcome may be for somebody else, or of any time.
        guard isOut || group.map({ $0.ending != nil }) ?? !isOutside else { return }
        // The leaf with which it left is not the one that it was brought in with.
        leavers = []
        begin(at: arrived, &step)
        set(
            Trouble(
                cause: .welcomeDoesNotOpen,
                number: arrived.number,
                digest: [UInt8](repeating: 0, count: RepairReason.hashSize),
                isAnothers: false,
                isReadable: false
            ),
            &step
        )
    }

    /// Reads the log from a Welcome on.
    private mutating func begin(at arrived: ArrivedWelcome, _ step: inout StepDraft) {
        skip(toWelcomeAt: arrived.number, &step)
        live.last = max(live.last, arrived.number)
        if standing != .member { standing = isAccepted ? .member : .invited }
    }

    /// The key packages that a Welcome is for: with another one, its tree is not worth reading.
    static func keyPackages(namedBy arrived: ArrivedWelcome) -> Set<KeyPackageRef> {
        guard arrived.welcome.count <= RoomLimits.groupInfo,
            case .welcome(let welcome)? = try? MLSMessage(wireBytes: arrived.welcome)
        else { return [] }
        return Set(welcome.secrets.map(\.newMember))
    }

    func joined(
        by arrived: ArrivedWelcome,
        with bundle: KeyPackageBundle,
        _ step: StepDraft
    ) throws -> (group: Group, title: WelcomedInfo?, inviter: AccountID?) {
        guard arrived.welcome.count <= RoomLimits.groupInfo, arrived.tree.count <= RoomLimits.tree else {
            throw MLSError.tooLong
        }
        guard case .welcome(let welcome) = try MLSMessage(wireBytes: arrived.welcome) else { throw MLSError.notWelcome }
        var told: WelcomedInfo?
        var signer: LeafIndex?
        let group = try Group(
            joining: welcome,
            with: bundle,
            ratchetTree: arrived.tree,
            environment: step.environment,
            reading: { info in
                told = WelcomedInfo(in: info.extensions)
                signer = info.signer
            },
            // That is looked at with the epoch.
            isKnown: { _ in false }
        )
        let members = try RoomMembers(of: group.publicGroup)
        try members.check(asGroupOf: room, generation: arrived.generation, seen: generation)
        return (group, RoomCore.title(in: told, members), signer.flatMap { members.leaves[$0]?.account })
    }
}
