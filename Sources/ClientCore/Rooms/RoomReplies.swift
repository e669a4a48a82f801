import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// What the relay answers.
extension RoomCore {
    /// Takes an answer; one to something that is no longer waited for is passed over.
    mutating func take(_ reply: RelayReply, to request: RequestID, _ step: inout StepDraft) {
        if request == live.fetching {
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
        case .page(let page), .refilled(let page):
            live.failures = 0
            let isRecovering = recovery.isGoingOn
            take(page, isAnswer: true, &step)
            if isRecovering { goOnRecovering(page, &step) }
        case .accepted, .done, .staleEpoch, .proposalsDue, .refused, .group, .claimed, .unreachable:
            if recovery.progress == .refilling { recovery.wait() }
            backOff(&step)
        }
    }

    private mutating func takeActed(_ reply: RelayReply, for id: MessageID?, _ step: inout StepDraft) {
        let index = id.flatMap { id in intents.firstIndex { $0.id == id } }
        switch reply {
        case .accepted(let number) where (1...LogPage.highestNumber).contains(number):
            beAccepted(number, id, index)
        case .accepted: backOff(&step)
        case .staleEpoch(let page):
            take(page, isAnswer: true, &step)
            giveUpStaged(id)
        case .proposalsDue(let page):
            take(page, isAnswer: true, &step)
            giveUpStaged(id)
            if page.last == history.number { refuseDue(page, &step) }
        case .refused(let refusal): beRefused(refusal, id, index, &step)
        case .group(let reply): comeIn(reply, &step)
        case .claimed(let reply): if let index { intents[index].claimed = reply }
        case .done: if case .beginning(let info) = standing { haveBegun(info, &step) }
        case .unreachable: backOff(&step)
        case .page, .refilled: break
        }
    }

    /// What was sent has a number; it counts when it is read under it.
    private mutating func beAccepted(_ number: UInt64, _ id: MessageID?, _ index: Int?) {
        live.failures = 0
        live.last = max(live.last, number)
        if let index {
            guard let message = intents[index].staged else { return }
            intents[index].progress = .staged(message, number: number)
        } else if id == nil, joining != nil {
            joining?.number = number
            // Who comes in has read nothing before.
            if standing == .seated { history = RunningHistory(joinedAt: number - 1) }
            live.isTold = true
        }
    }

    /// What was made for an epoch that is over is made anew.
    private mutating func giveUpStaged(_ id: MessageID?) {
        guard let id else {
            joining = nil
            return
        }
        guard let index = intents.firstIndex(where: { $0.id == id }), intents[index].staged != nil else { return }
        intents[index].progress = .wanted
        group?.discardStagedCommit()
        renewing = nil
    }

    /// The relay wants proposals in every commit that this device, which has read everything, does not know.
    private mutating func refuseDue(_ page: LogPage, _ step: inout StepDraft) {
        guard let group, group.ending == nil, leavers.isEmpty, trouble == nil else { return }
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

    /// The relay does not take it: it waits, or cannot be.
    private mutating func beRefused(
        _ refusal: RelayRefusal,
        _ id: MessageID?,
        _ index: Int?,
        _ step: inout StepDraft
    ) {
        guard let index else {
            guard id == nil else { return }
            joining = nil
            backOff(&step)
            return
        }
        let wished = intents[index].id
        guard !refusal.mayPass else {
            step.tell(room, .wishWaits(wished, code: refusal.code))
            backOff(&step)
            return
        }
        discard(intents[index].staged)
        intents.remove(at: index)
        step.tell(room, .wishFailed(wished, code: refusal.code))
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
