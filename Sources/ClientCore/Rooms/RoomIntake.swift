import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// Taking in the log: whatever brings a message, it goes through ``take(_:_:)``, in its order and once.
extension RoomCore {
    /// Takes in a part of the log.
    ///
    /// - Parameter isAnswer: whether this device had asked for it: a part that comes by itself may be older than it seems.
    mutating func take(_ page: LogPage, isAnswer: Bool, _ step: inout StepDraft) {
        guard page.isPossible else {
            backOff(&step)
            return
        }
        let isOtherStore = recovery.meet(page.incarnation)
        let isBehind = isAnswer && page.last < live.fetchingFrom
        let hasGoneBack = (isOtherStore || isBehind) && !recovery.isGoingOn
        if hasGoneBack { relayWentBack(page.last, &step) }
        lose(page.lost, upTo: history.number)
        live.last = isBehind || isOtherStore ? page.last : max(live.last, page.last)
        live.isTold = live.isTold || isAnswer
        // What is new is taken in after what was read is compared.
        guard isFollowed, !hasGoneBack, isAnswer || recovery.readsFrom == nil else { return }
        if isAnswer { showWelcomed(page, &step) }
        fallBehind(page, &step)
        for message in page.messages {
            if message.number <= history.number {
                compare(message, &step)
                continue
            }
            passOverLost(page.lost, before: message.number, &step)
            // Nothing is taken out of its order: it is asked for again.
            guard message.number == history.number + 1 else { break }
            guard !hasWelcomePastGap else { return }
            take(message, &step)
            // A Welcome leads past what comes next; and who is out reads no further: what follows is missing if they come in again.
            if isOutWithWelcome || !isFollowed { return }
        }
        passOverLost(page.lost, before: page.last + 1, &step)
        guard page.last == history.number else { return }
        haveMet(page, &step)
        if isElsewhere(page) { otherEpoch(&step) }
    }

    /// Takes in the next message: the only way in.
    ///
    /// - Precondition: it is the next one.
    mutating func take(_ message: NumberedMessage, _ step: inout StepDraft) {
        history.read(message)
        if message.kind != .application {
            let until = step.moment.wallSeconds + RelayRecovery.handshakeKept
            step.changes.append(.keep(room, message, until: until))
        }
        takeIn(message, &step)
    }

    /// Takes in what a message says.
    private mutating func takeIn(_ message: NumberedMessage, _ step: inout StepDraft) {
        if let joining, joining.message.id == message.id, joining.message.body == message.body {
            comeIn(by: joining, message, &step)
            return
        }
        if let index = intents.firstIndex(where: { $0.made(message.body) }) {
            takeEcho(message, ofIntentAt: index, &step)
            return
        }
        guard let group, group.ending == nil, trouble?.isReadable ?? true else {
            passOver(message, &step)
            return
        }
        guard message.generation == generation, message.body.count <= RoomLimits.commit,
            let content = try? MLSMessage(wireBytes: message.body)
        else {
            let cause = message.generation == generation ? Cause.forged : .mislabelled
            refuse(message, cause, &step)
            return
        }
        switch (message.kind, content) {
        case (.application, .privateMessage(let sealed)) where sealed.contentType == .application:
            takeApplication(message, content, &step)
        case (.proposal, .publicMessage(let proposal)): takeProposal(message, proposal, content, &step)
        case (.commit, .publicMessage(let commit)) where commit.isCommit: takeCommit(message, commit, content, &step)
        case (.generation, .groupInfo(let info)): takeGeneration(message, info, &step)
        default: refuse(message, .mislabelled, &step)
        }
    }

    /// A message that comes while this device is not in the group, or cannot follow it.
    private mutating func passOver(_ message: NumberedMessage, _ step: inout StepDraft) {
        switch message.kind {
        case .application:
            if isOwn(message, step), intents.contains(where: { $0.id == message.id }) {
                haveSaid(message, &step)
            } else {
                step.show(room, ShownEntry(.unreadable(trouble?.cause ?? .beforeComingIn), for: message))
            }
        case .generation: passGeneration(message, &step)
        case .proposal, .commit:
            // In the place of the commit that this device was to come in by.
            if standing == .seated { step.show(room, ShownEntry(.unreadable(.beforeComingIn), for: message)) }
        }
    }

    /// Whether the relay says that this device sent a message.
    func isOwn(_ message: NumberedMessage, _ step: StepDraft) -> Bool {
        message.account == step.device.account && message.device == step.device.device
    }

    /// A message that cannot be read, and is not gone on from where it is a commit.
    mutating func refuse(_ message: NumberedMessage, _ cause: Cause, _ step: inout StepDraft) {
        step.show(room, ShownEntry(.unreadable(cause), for: message))
        guard message.kind == .commit, cause != .mislabelled else { return }
        meet(.commitNotProcessable(number: message.number), message, isReadable: false, &step)
    }

    /// What an error of MLS says of a message.
    static func cause(of error: MLSError) -> Cause {
        switch error {
        case .keyConsumed: .repeated
        case .otherEpoch, .otherGroup: .mislabelled
        case .invalid(.senderIsMember): .senderNoMember
        case .commitRefused, .proposalRefused, .credentialRefused: .ruleBroken
        case .damagedState: .recordsDamaged
        default: .forged
        }
    }

    // MARK: What is not in its order

    /// A message that was read before is the same, or the relay shows another history: where it was put back, since it has lost
    /// what this device had read.
    private mutating func compare(_ message: NumberedMessage, _ step: inout StepDraft) {
        guard history.knowsAnother(message) else { return }
        if recovery.isGoingOn {
            readAnew(message, &step)
        } else if live.toldOfOthers.insert(message.number).inserted {
            step.tell(room, .trouble(.differentHistory(number: message.number)))
        }
    }

    /// Another message has the number of one that the relay lost when it was put back, and that this device alone had read: it is
    /// taken in beside that. What this device had said there is to be said again (H41).
    private mutating func readAnew(_ message: NumberedMessage, _ step: inout StepDraft) {
        if !live.isToldOfOtherLog { step.tell(room, .relayWentBack(last: message.number - 1)) }
        live.isToldOfOtherLog = true
        recovery.lose([message.number...message.number])
        history.replace(message)
        if message.kind == .application, !isOfPresentEpoch(message) {
            // The keys of that epoch are gone.
            step.show(room, ShownEntry(.unreadable(.beforeComingIn), for: message))
        } else {
            if trouble?.cause == .ruleBroken, trouble?.number == message.number { goOn(&step) }
            takeIn(message, &step)
            // This device goes on from there.
            if message.number == enteredAt { recovery.find(message.number) }
        }
    }

    private func isOfPresentEpoch(_ message: NumberedMessage) -> Bool {
        guard message.generation == generation, let epoch = group?.publicGroup.context.epoch,
            case .privateMessage(let sealed)? = try? MLSMessage(wireBytes: message.body)
        else { return message.generation == generation }
        return sealed.epoch == epoch
    }

    /// What comes next is no longer kept. What was sent there has been sent; whatever trouble there was, more is missing now.
    private mutating func fallBehind(_ page: LogPage, _ step: inout StepDraft) {
        guard page.first > history.number + 1 else { return }
        let last = min(page.first - 1, page.last)
        guard last > history.number else { return }
        let missing = history.number + 1...last
        let cause = Cause.behindRetention(first: page.first)
        step.show(room, ShownEntry(missing: missing, cause))
        history.skip(to: last)
        settle(sentIn: missing, &step)
        guard group != nil || isOutside, joining?.number == nil, trouble?.cause != .ruleBroken else { return }
        let isCounted = trouble?.isCounted ?? false
        trouble = nil
        set(
            Trouble(
                cause: cause,
                number: last,
                digest: [UInt8](repeating: 0, count: RepairReason.hashSize),
                isAnothers: false,
                isReadable: false,
                isCounted: isCounted
            ),
            &step
        )
    }

    /// What was lost when the relay was put back is a gap with a name.
    private mutating func passOverLost(
        _ lost: [ClosedRange<UInt64>],
        before number: UInt64,
        _ step: inout StepDraft
    ) {
        while let range = lost.first(where: { $0.contains(history.number + 1) }) {
            let last = min(range.upperBound, number - 1)
            guard last > history.number else { return }
            let missing = history.number + 1...last
            step.show(room, ShownEntry(missing: missing, .lostAtRestore))
            history.skip(to: last)
            loseNumbers(in: missing)
        }
    }

    /// The log was read to its end, and the relay is in another epoch: nothing of this device's would be taken.
    mutating func otherEpoch(_ step: inout StepDraft) {
        // What the relay lacks, its members may still give back.
        guard !recovery.isGoingOn else { return }
        beInOtherEpoch(&step)
    }

    /// The same, by what the log has next.
    mutating func beInOtherEpoch(_ step: inout StepDraft) {
        guard let group, group.ending == nil, trouble == nil, joining == nil else { return }
        let digest = history.digest(of: history.number) ?? [UInt8](repeating: 0, count: RepairReason.hashSize)
        set(
            Trouble(
                cause: .commitNotProcessable(number: history.number),
                number: history.number,
                digest: digest,
                isAnothers: false,
                isReadable: false
            ),
            &step
        )
    }

    // MARK: Trouble

    /// Something happened that this device has to come back from.
    mutating func meet(
        _ cause: Cause,
        _ message: NumberedMessage,
        isReadable: Bool,
        _ step: inout StepDraft
    ) {
        set(
            Trouble(
                cause: cause,
                number: message.number,
                digest: message.digest,
                isAnothers: message.account != step.device.account,
                isReadable: isReadable
            ),
            &step
        )
    }

    /// The first cause stands, unless a worse one comes.
    mutating func set(_ next: Trouble, _ step: inout StepDraft) {
        guard trouble == nil || trouble?.isReadable == true && !next.isReadable else { return }
        trouble = next
        live.repairAt = nil
        live.isToldStopped = false
        step.tell(room, .trouble(next.cause))
    }

    /// The room is of a later version than this one knows: it can be read up to here, and nothing is sent or repaired before the
    /// program is updated (H34).
    mutating func needUpdate(_ message: NumberedMessage, _ step: inout StepDraft) {
        step.show(room, ShownEntry(.unreadable(.newer), for: message))
        needUpdate(since: message.number, &step)
    }

    /// The same, where no message shows it.
    mutating func needUpdate(since number: UInt64, _ step: inout StepDraft) {
        live.isNewer = true
        guard trouble?.cause != .newer else { return }
        trouble = nil
        set(
            Trouble(
                cause: .newer,
                number: number,
                digest: [UInt8](repeating: 0, count: RepairReason.hashSize),
                isAnothers: false,
                isReadable: false
            ),
            &step
        )
    }

    /// The log has something of this device's that it does not know (H14).
    mutating func stateIsOlder(_ message: NumberedMessage, isReadable: Bool, _ step: inout StepDraft) {
        if trouble == nil { step.tell(room, .stateWasPutBack) }
        let cause = Cause.ownStateOlder(number: message.number)
        step.show(room, ShownEntry(.unreadable(cause), for: message))
        meet(cause, message, isReadable: isReadable, &step)
    }
}

extension PublicMessage {
    /// Whether it changes the group, and is no proposal.
    fileprivate var isCommit: Bool { if case .commit = content.body { true } else { false } }
}
