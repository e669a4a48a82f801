import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// What the relay answers.
extension RoomCore {
    /// Takes an answer; one to something that is no longer waited for is passed over.
    mutating func take(_ reply: RelayReply, to request: RequestID, _ step: inout StepDraft) {
        if request == live.puttingUp {
            takeGroupInfo(reply, &step)
        } else if request == live.fetching {
            live.fetching = nil
            takeFetched(reply, &step)
        } else if request == live.acting {
            live.acting = nil
            let intent = live.actingFor
            live.actingFor = nil
            takeActed(reply, for: intent, &step)
        }
    }

    private mutating func takeFetched(_ reply: RelayReply, _ step: inout StepDraft) {
        switch reply {
        case .page(let page), .refilled(let page): takeFetched(page, &step)
        case .refused(let refusal) where refusal.mayPass: giveBackAgain(&step)
        case .unreachable: giveBackAgain(&step)
        case .accepted, .done, .staleEpoch, .proposalsDue, .refused, .group, .claimed:
            if recovery.progress == .refilling { recovery.wait() }
            backOff(&step)
        }
    }

    private mutating func takeFetched(_ page: LogPage, _ step: inout StepDraft) {
        let failures = live.failures
        live.failures = 0
        let isRecovering = recovery.isGoingOn
        // Where the two part is looked for first: what is another there is then taken in in its order.
        if let from = recovery.readsFrom, from > 0, page.isPossible, let oldest = page.messages.first,
            oldest.number == from + 1, history.knowsAnother(oldest)
        {
            recovery.compare(below: oldest.number)
            return
        }
        let isComparing = recovery.readsFrom != nil
        take(page, isAnswer: true, &step)
        if isComparing, let read = page.messages.last?.number, read < min(page.last, history.number) {
            recovery.compare(after: read)
        } else if isRecovering {
            goOnRecovering(page, &step)
        }
        guard !recovery.isGoingOn, !isLogRead, history.number == live.fetchingFrom else { return }
        // It has told of more than it shows. After a few times, what it shows counts.
        live.failures = failures
        backOff(&step)
        if live.failures > 2 { live.last = page.last }
    }

    private mutating func takeActed(_ reply: RelayReply, for id: MessageID?, _ step: inout StepDraft) {
        let index = id.flatMap { id in intents.firstIndex { $0.id == id } }
        switch reply {
        case .accepted(let number): beAccepted(number, id, index, &step)
        case .refused(.idReused(let number)): beAccepted(number, id, index, &step)
        case .staleEpoch(let page): beOvertaken(page, id, &step)
        case .proposalsDue(let page): nameWhatIsDue(page, id, &step)
        case .refused(let refusal): beRefused(refusal, id, index, &step)
        case .group(let reply): comeIn(reply, &step)
        case .claimed(let reply):
            guard let index else { return }
            live.pauses[intents[index].wish] = nil
            intents[index].claimed = reply
        case .done:
            if case .beginning(let info) = standing { haveBegun(info, &step) } else { backOff(&step) }
        case .page(let page) where !isFollowed: take(page, isAnswer: true, &step)
        case .page, .refilled, .unreachable:
            if let index, intents[index].isClaiming { pause(intents[index].wish, &step) } else { backOff(&step) }
        }
    }

    /// What was sent has a number; it counts when it is read under it.
    private mutating func beAccepted(_ number: UInt64, _ id: MessageID?, _ index: Int?, _ step: inout StepDraft) {
        guard (1...LogPage.highestNumber).contains(number) else {
            backOff(&step)
            return
        }
        if number > history.number { live.failures = 0 }
        live.last = max(live.last, number)
        if let index {
            if number > history.number { live.pauses[intents[index].wish] = nil }
            guard let message = intents[index].staged else { return }
            intents[index].progress = .staged(message, number: number)
            // Whether a message was read under it, the store knows.
            guard message.kind != .application, number <= history.number else { return }
            settle(sentIn: number...number, &step)
        } else if id == nil, joining != nil {
            joining?.number = number
            if standing == .seated, number > history.number { skip(toJoiningAt: number, &step) }
            live.isTold = true
        }
    }

    /// Others were first: what was made for an epoch that is over is made anew. A relay that says so of the present epoch, to who
    /// has read everything, is in another one, whatever else it says.
    private mutating func beOvertaken(_ page: LogPage, _ id: MessageID?, _ step: inout StepDraft) {
        take(page, isAnswer: true, &step)
        let isOfPresentEpoch = staged(for: id).map { isPresent($0) } ?? false
        giveUpStaged(id)
        guard isOfPresentEpoch || id == nil else { return }
        backOff(&step)
        if isLogRead, isOfPresentEpoch { otherEpoch(&step) }
    }

    /// The relay wants proposals in every commit. Where what was made names as many as this device knows, which has read
    /// everything, there is one that it had to refuse.
    private mutating func nameWhatIsDue(_ page: LogPage, _ id: MessageID?, _ step: inout StepDraft) {
        take(page, isAnswer: true, &step)
        let message = staged(for: id)
        giveUpStaged(id)
        guard let message, isPresent(message) else {
            if id == nil { backOff(&step) }
            return
        }
        guard isLogRead, RoomCore.countOfNamed(in: message) >= leavers.count else { return }
        refuseDue(page, &step)
    }

    private func staged(for id: MessageID?) -> OutgoingMessage? {
        intents.first { $0.id == id }?.staged
    }

    private func isPresent(_ message: OutgoingMessage) -> Bool {
        message.generation == generation && message.epoch == group?.publicGroup.context.epoch
    }

    /// How many proposals of others a commit names.
    private static func countOfNamed(in message: OutgoingMessage) -> Int {
        guard case .publicMessage(let content)? = try? MLSMessage(wireBytes: message.body),
            case .commit(let commit) = content.content.body
        else { return 0 }
        return commit.proposals.count { if case .reference = $0 { true } else { false } }
    }

    /// What was made is not taken, and is made anew.
    private mutating func giveUpStaged(_ id: MessageID?) {
        guard let id else {
            joining = nil
            return
        }
        guard let index = intents.firstIndex(where: { $0.id == id }), let message = intents[index].staged else {
            return
        }
        intents[index].progress = .wanted
        discard(message)
    }

    /// The relay wants a proposal in every commit that this device, which has read everything, had to refuse.
    private mutating func refuseDue(_ page: LogPage, _ step: inout StepDraft) {
        guard let group, group.ending == nil, trouble == nil else { return }
        let due = page.messages.last
        let number = due?.number ?? history.number
        set(
            Trouble(
                cause: .dueProposalRefused(number: number),
                number: number,
                digest: due?.digest ?? [UInt8](repeating: 0, count: RepairReason.hashSize),
                isAnothers: true,
                isReadable: false
            ),
            &step
        )
    }

    // MARK: Numbers that are passed over

    /// What has a number that this device passes over has been sent; of a commit, what it led to is looked at anew.
    mutating func settle(sentIn missing: ClosedRange<UInt64>, _ step: inout StepDraft) {
        for intent in intents {
            guard case .staged(let message, number: let number?) = intent.progress, missing.contains(number),
                history.digest(of: number) == nil, let index = intents.firstIndex(where: { $0.id == intent.id })
            else { continue }
            guard message.kind == .application else {
                intents[index].progress = .wanted
                discard(message)
                continue
            }
            let sent = NumberedMessage(
                number: number,
                generation: message.generation,
                account: step.device.account,
                device: step.device.device,
                id: message.id,
                kind: message.kind,
                stored: intent.wished,
                body: message.body
            )
            takeEcho(sent, ofIntentAt: index, &step)
        }
    }

    /// What had a number that is lost has none: it is sent again.
    mutating func loseNumbers(in lost: ClosedRange<UInt64>) {
        for index in intents.indices {
            guard case .staged(let message, number: let number?) = intents[index].progress, lost.contains(number) else {
                continue
            }
            intents[index].progress = .staged(message, number: nil)
        }
        if let number = joining?.number, lost.contains(number) { joining?.number = nil }
    }

    /// The relay does not take it: it waits, or cannot be.
    private mutating func beRefused(
        _ refusal: RelayRefusal,
        _ id: MessageID?,
        _ index: Int?,
        _ step: inout StepDraft
    ) {
        guard let index else {
            guard id == nil else { return }
            let isOfCommit = joining != nil
            joining = nil
            if wantsOut, refusal == .forbidden {
                haveNothingToLeave(&step)
                return
            }
            if case .beginning = standing { haveNotBegun(refusal, &step) }
            if isOfCommit {
                pauseOutside(refusedBy: refusal, &step)
            } else if mayComeIn {
                pauseOutside(&step)
            } else {
                backOff(&step)
            }
            return
        }
        let (wished, wish) = (intents[index].id, intents[index].wish)
        guard !refusal.mayPass else {
            step.tell(room, .wishWaits(wished, code: refusal.code))
            if intents[index].isClaiming {
                pause(wish, &step)
            } else if refusal.isOfThisAlone {
                hold(at: index, &step)
            } else {
                backOff(&step)
            }
            return
        }
        let staged = intents[index].staged
        discard(staged)
        guard !wish.isDuty else {
            // It stays due.
            intents[index].progress = .wanted
            pause(wish, &step)
            return
        }
        guard !(wish.isSaying && staged?.kind == .commit) else {
            // What was typed was not refused: what has to come before it was.
            intents[index].progress = .wanted
            step.tell(room, .wishWaits(wished, code: refusal.code))
            backOff(&step)
            return
        }
        fail(at: index, code: refusal.code, &step)
    }

    /// The relay has nothing of what was made for a wish, and may take it later: the wish waits by itself. A message is kept as it
    /// is, since others go only so far with a sender's keys; a commit would keep all else from being made.
    private mutating func hold(at index: Int, _ step: inout StepDraft) {
        guard let message = intents[index].staged else { return backOff(&step) }
        switch message.kind {
        case .application, .generation: intents[index].hold(message)
        case .commit:
            setAside(message)
            intents[index].progress = .wanted
            discard(message)
        case .proposal: return backOff(&step)
        }
        pause(intents[index].wish, &step)
    }

    /// Forgets what was made in the group for a message that nobody takes.
    private mutating func discard(_ message: OutgoingMessage?) {
        guard let message else { return }
        switch message.kind {
        case .application: break
        case .commit: group?.discardStagedCommit()
        case .generation: renewing = nil
        case .proposal:
            guard let proposal = try? MLSMessage(wireBytes: message.body),
                case .ownMessage(let reference?)? = try? group?.process(proposal)
            else { return }
            group?.discardProposal(reference)
        }
    }
}

extension Intent {
    /// Whether what it waits for are an account's key packages.
    fileprivate var isClaiming: Bool {
        guard case .invite = wish else { return false }
        return staged == nil && claimed == nil
    }
}
