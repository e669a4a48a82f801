import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// How a room begins for a device: it makes it, or is welcomed.
extension RoomCore {
    /// A room that this device makes; it owns it.
    ///
    /// - Throws: an `MLSError`.
    static func making(
        _ room: RoomID,
        _ info: RoomInfo,
        _ policy: RoomPolicyBits,
        _ step: StepDraft
    ) throws(MLSError) -> RoomCore {
        let extensions = Extensions([
            RoomExtension.requirements,
            RoomExtension(room: room, roles: [step.device.account: .owner], policy: policy).mls,
        ])
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

    /// Asks the relay to make the room; again, until it answers.
    mutating func begin(_ step: inout StepDraft) {
        guard live.acting == nil, let group, let info = try? group.groupInfo(sendsTree: false) else { return }
        let bytes = MLSMessage.groupInfo(info).wireBytes
        live.acting = step.ask(.create(room, groupInfo: bytes, tree: group.ratchetTree), for: .room(room))
    }

    /// The relay has the room: its name is said.
    mutating func haveBegun(_ info: RoomInfo, _ step: inout StepDraft) {
        standing = .member
        live.failures = 0
        wish(.rename(info), id: MessageID.random(from: step.randomness), step)
    }

    /// A Welcome came. A stranger's stays as it is until it is accepted (H7).
    mutating func take(_ arrived: ArrivedWelcome, _ stock: inout KeyPackageStock, _ step: inout StepDraft) {
        let isIn = group.map { $0.ending == nil } ?? false
        guard !isIn || trouble != nil, joining == nil else { return }
        // One for an epoch that this device has been past leads back to what it has read.
        guard group == nil || arrived.number > history.number else { return }
        guard arrived.isOfKnownSender || isAccepted || isIn else {
            waitingWelcome = arrived
            standing = .requested
            step.tell(room, .invited)
            return
        }
        enter(by: arrived, &stock, &step)
    }

    /// The person accepts.
    mutating func accept(_ stock: inout KeyPackageStock, _ step: inout StepDraft) {
        isAccepted = true
        if isOutside, standing == .invited { standing = .member }
        if let waitingWelcome { enter(by: waitingWelcome, &stock, &step) }
    }

    private mutating func enter(by arrived: ArrivedWelcome, _ stock: inout KeyPackageStock, _ step: inout StepDraft) {
        waitingWelcome = nil
        for bundle in stock.bundles {
            guard let next = try? joined(by: arrived, with: bundle, step) else { continue }
            stock.use(bundle.keyPackage)
            begin(at: arrived)
            // Of what this device said before it came in, others may remember the count.
            counter = max(counter, arrived.number)
            group = next
            generation = arrived.generation
            isOutside = false
            readRoster()
            leavers = []
            trouble = nil
            let leaves = next.publicGroup.members.count
            schedule = UpdateSchedule(addedAt: step.now, leaves: leaves, draw: step.draw(upTo:))
            freshSenders.formUnion(members?.leaves.values.map(\.client) ?? [])
            if !isAccepted { step.tell(room, .invited) }
            return
        }
        // What is known of the room stays: the Welcome may be for somebody else, or of any time.
        guard group.map({ $0.ending != nil }) ?? !isOutside else { return }
        begin(at: arrived)
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
    private mutating func begin(at arrived: ArrivedWelcome) {
        history = RunningHistory(joinedAt: arrived.number)
        live.last = max(live.last, arrived.number)
        if standing != .member { standing = isAccepted ? .member : .invited }
    }

    private func joined(
        by arrived: ArrivedWelcome,
        with bundle: KeyPackageBundle,
        _ step: StepDraft
    ) throws -> Group {
        guard arrived.welcome.count <= RoomLimits.groupInfo, arrived.tree.count <= RoomLimits.tree else {
            throw MLSError.tooLong
        }
        guard case .welcome(let welcome) = try MLSMessage(wireBytes: arrived.welcome) else { throw MLSError.notWelcome }
        let group = try Group(
            joining: welcome,
            with: bundle,
            ratchetTree: arrived.tree,
            environment: step.environment,
            isKnown: { _ in false }
        )
        let members = try RoomMembers(of: group.publicGroup)
        try members.check(asGroupOf: room, generation: arrived.generation, seen: generation)
        return group
    }
}
