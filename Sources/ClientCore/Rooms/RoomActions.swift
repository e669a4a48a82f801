import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// Making wishes true.
extension RoomCore {
    /// Takes a wish on; it is there until it is true.
    mutating func wish(_ wish: Wish, id: MessageID, _ step: StepDraft) {
        guard !intents.contains(where: { $0.id == id }) else { return }
        unsaid.removeAll { $0.id == id }
        intents.append(Intent(wish, id: id, wished: step.moment.wall))
    }

    /// What is wished under this id is wished no more, and what could not be said is forgotten. Where something was made for it that
    /// the relay may have, it stays.
    mutating func drop(_ id: MessageID, _ step: inout StepDraft) {
        if let index = unsaid.firstIndex(where: { $0.id == id }) {
            unsaid.remove(at: index)
            step.tell(room, .wishFailed(id, code: RoomCore.dropped))
            return
        }
        guard let index = intents.firstIndex(where: { $0.id == id && $0.wish.isDroppable }),
            intents[index].staged == nil
        else {
            return
        }
        if intents[index].outgoing?.kind == .generation { renewing = nil }
        fail(at: index, code: RoomCore.dropped, &step)
    }

    /// Sends again what has no number; else makes what the first wish needs that can be gone on with.
    mutating func act(_ step: inout StepDraft) {
        guard live.acting == nil else { return }
        if let index = intents.firstIndex(where: { $0.staged != nil }) {
            sendAgain(at: index, &step)
            return
        }
        addDuties(&step)
        guard !intents.isEmpty, let members else { return }
        var index = 0
        var isBlocked = false
        while index < intents.count {
            let intent = intents[index]
            let isSaying = intent.wish.isSaying
            guard !(isSaying && isBlocked) else {
                index += 1
                continue
            }
            let judgement = judge(intent, members, step)
            if judgement.asksRelay, isPaused(intent.wish, &step) {
                // Others go on before it, and not what was written after it.
                (index, isBlocked) = (index + 1, isBlocked || isSaying)
                continue
            }
            switch judgement {
            case .done: finish(at: index, &step)
            case .failed(let code): fail(at: index, code: code, &step)
            case .waiting(let code):
                if intents[index].toldWaiting != code, !intent.wish.isDuty {
                    intents[index].toldWaiting = code
                    step.tell(room, .wishWaits(intent.id, code: code))
                }
                isBlocked = isBlocked || isSaying
                index += 1
            case .entering:
                standing = .member
                (index, isBlocked) = (0, false)
            case .claiming(let account):
                let claim = RoomRequest.claim(intent.id, account, for: room)
                ask(claim, for: intent.id, &step)
                return
            case .saying(let part, let inReplyTo, let blobs):
                switch say(part, inReplyTo, blobs, at: index, members, &step) {
                case .sent: return
                case .again: break
                case .waits: (index, isBlocked) = (index + 1, isBlocked || isSaying)
                }
            case .committing(let proposals, let evidence):
                switch commit(proposals, evidence, at: index, &step) {
                case .sent: return
                case .again: break
                case .waits: (index, isBlocked) = (index + 1, isBlocked || isSaying)
                }
            case .renewing:
                if renew(at: index, members, &step) { return }
            case .leaving:
                if leave(at: index, &step) { return }
            }
        }
    }

    /// Tells that what the person wishes waits until the room can be gone on with.
    mutating func tellWaiting(code: String, _ step: inout StepDraft) {
        for index in intents.indices where intents[index].toldWaiting != code && !intents[index].wish.isDuty {
            intents[index].toldWaiting = code
            step.tell(room, .wishWaits(intents[index].id, code: code))
        }
    }

    /// Everybody leaves, and the room closes: what else was wished in it cannot be.
    private mutating func haveLeft(_ step: inout StepDraft) {
        (standing, isAccepted) = (.left, false)
        for intent in intents { giveUp(intent, code: "no-member", &step) }
        intents = []
    }

    private mutating func ask(_ request: RoomRequest, for id: MessageID, _ step: inout StepDraft) {
        live.actingFor = id
        live.acting = step.ask(request, for: .room(room))
    }

    /// What was sent is sent again byte by byte, until the relay answers; what has a number is waited for.
    private mutating func sendAgain(at index: Int, _ step: inout StepDraft) {
        guard case .staged(let message, let number) = intents[index].progress else { return }
        if let number {
            guard history.number < number else {
                guard message.kind != .application else { return lookUp(number, of: intents[index].id, &step) }
                // The log does not have it where the relay said it would be.
                intents[index].progress = .wanted
                group?.discardStagedCommit()
                backOff(&step)
                return
            }
            // The log ends before that number: the relay has lost it.
            intents[index].progress = .staged(message, number: nil)
        }
        ask(.send(room, message), for: intents[index].id, &step)
    }

    // MARK: Making something

    /// What came of making something for a wish.
    private enum Making {
        /// It is on its way.
        case sent
        /// The wish is gone, or another one: its place is looked at again.
        case again
        /// The wish stays, and the person was told.
        case waits
    }

    /// A wish stays, since what it needs cannot be made now; it is tried again.
    private mutating func wait(at index: Int, code: String, _ step: inout StepDraft) -> Making {
        let intent = intents[index]
        if intent.toldWaiting != code, !intent.wish.isDuty {
            intents[index].toldWaiting = code
            step.tell(room, .wishWaits(intent.id, code: code))
        }
        step.wake(at: step.now + RoomCore.longestRetry)
        return .waits
    }

    /// Seals what is said. What was typed is lost by nothing that may pass.
    private mutating func say(
        _ part: NestedPart,
        _ inReplyTo: ContentID?,
        _ blobs: [BlobID],
        at index: Int,
        _ members: RoomMembers,
        _ step: inout StepDraft
    ) -> Making {
        let intent = intents[index]
        guard blobs.count <= ContentHead.maximumBlobs, Set(blobs).count == blobs.count else {
            fail(at: index, code: "too-many-blobs", &step)
            return .again
        }
        if sendHeld(at: index, &step) { return .sent }
        let timer = members.room.timer
        let head = ContentHead(written: intent.wished, seen: history.seen, counter: counter + 1, blobs: blobs)
        let expires = timer > 0 ? Expiration(isRelative: true, seconds: timer) : nil
        let made = try? MimiContent(part, salt: intent.id, head: head, expires: expires, inReplyTo: inReplyTo)
        guard let content = made?.encoded else {
            fail(at: index, code: "cannot-be-sealed", &step)
            return .again
        }
        do {
            let mark = MessageMark.bytes(intent.id)
            let sealed = try change(at: step) { (group) throws(MLSError) in
                try group.protect(
                    content,
                    authenticatedData: mark,
                    padding: MessagePadding.count(behind: content.count)
                )
            }
            intents[index].content = content
            send(sealed, as: intent.id, .application, blobs: blobs, at: index, &step)
            return .sent
        } catch {
            return wait(at: index, code: "cannot-be-sealed", &step)
        }
    }

    /// Sends what was held as it is, where it is as good as anew: in its epoch, and with no message of this device's since.
    mutating func sendHeld(at index: Int, _ step: inout StepDraft) -> Bool {
        guard case .held(let message) = intents[index].progress, message.generation == generation,
            message.epoch == group?.publicGroup.context.epoch
        else { return false }
        switch message.kind {
        case .application:
            let head = intents[index].content.flatMap { try? ContentHead(ofMessage: $0) }
            guard head?.counter == counter + 1 else { return false }
        case .generation: guard renewing != nil else { return false }
        case .proposal, .commit: return false
        }
        intents[index].progress = .staged(message, number: nil)
        ask(.send(room, message), for: intents[index].id, &step)
        return true
    }

    /// Makes a commit, which is staged in the group until its echo. Where something is to be said after it, that waits.
    private mutating func commit(
        _ proposals: [Proposal],
        _ evidence: [Evidence],
        at index: Int,
        _ step: inout StepDraft
    ) -> Making {
        var options = CommitOptions()
        options.proposals = proposals
        options.framing = .publicMessage
        options.sendsTree = false
        options.sendsGroupInfo = true
        options.groupInfoExtensions = welcomeExtensions(with: proposals)
        options.authenticatedData = CommitReason(seen: history.seenByCommit, evidence: evidence).wireBytes
        if !hasPresentLeaf(step) {
            options.leafChange = LeafChange(signer: try? step.device.signer(), credential: step.device.credential.mls)
        }
        let messages: CommitMessages
        do {
            messages = try change(at: step) { [options] (group) throws(MLSError) in try group.commit(options) }
        } catch {
            if let claimed = intents[index].claimed, !claimed.keyPackages.isEmpty {
                // Their devices come in from outside.
                intents[index].claimed = claimed.withoutKeyPackages
                return .again
            }
            guard !intents[index].wish.isSaying else { return wait(at: index, code: "cannot-be-committed", &step) }
            fail(at: index, code: "cannot-be-committed", &step)
            return .again
        }
        send(
            messages.commit,
            as: MessageID.random(from: step.randomness),
            .commit,
            groupInfo: messages.groupInfo?.wireBytes,
            welcome: messages.welcome?.wireBytes,
            at: index,
            &step
        )
        if PlantedFault.mergesBeforeOrder.isPresent {
            _ = try? change(at: step) { (group) throws(MLSError) in try group.process(messages.commit) }
        }
        return .sent
    }

    /// Says that one leaves.
    private mutating func leave(at index: Int, _ step: inout StepDraft) -> Bool {
        do {
            let proposal = try change(at: step) { (group) throws(MLSError) in
                try group.proposeSelfRemove(authenticatedData: LeavingMark.bytes)
            }
            send(proposal.message, as: MessageID.random(from: step.randomness), .proposal, at: index, &step)
            return true
        } catch {
            fail(at: index, code: "cannot-leave", &step)
            return false
        }
    }

    mutating func send(
        _ message: MLSMessage,
        as id: MessageID,
        _ kind: NumberedMessage.Kind,
        groupInfo: [UInt8]? = nil,
        welcome: [UInt8]? = nil,
        blobs: [BlobID] = [],
        at index: Int,
        _ step: inout StepDraft
    ) {
        let outgoing = OutgoingMessage(
            id: id,
            kind: kind,
            generation: generation,
            epoch: group?.publicGroup.context.epoch ?? 0,
            body: message.wireBytes,
            groupInfo: groupInfo,
            welcome: welcome,
            blobs: blobs
        )
        intents[index].stage(outgoing)
        ask(.send(room, outgoing), for: intents[index].id, &step)
        if PlantedFault.forgetsIntentAtSend.isPresent { intents.remove(at: index) }
    }

    mutating func fail(at index: Int, code: String, _ step: inout StepDraft) {
        giveUp(intents.remove(at: index), code: code, &step)
    }

    // MARK: The echo

    /// Something of this device's came back under its number: now it counts.
    mutating func takeEcho(_ message: NumberedMessage, ofIntentAt index: Int, _ step: inout StepDraft) {
        if message.account != step.device.account || message.device != step.device.device {
            step.show(room, ShownEntry(.unreadable(.mislabelled), for: message))
        }
        let intent = intents[index]
        live.pauses[intent.wish] = nil
        if !intent.wish.isSaid { live.numbers[intent.id] = message.number }
        switch intent.staged?.kind ?? message.kind {
        case .application:
            intents[index].hasEcho = true
            intents[index].progress = .wanted
            counter += 1
            schedule?.say()
            let until = step.moment.wallSeconds + RelayRecovery.ownKept
            step.changes.append(.keep(room, message, until: until))
            if let content = intent.content { show(content, of: message, &step) }
            guard intent.wish.isSaid else { return }
            intents.remove(at: index)
            step.tell(room, .wishIsDone(intent.id, number: message.number))
        case .proposal:
            intents[index].progress = .wanted
            if let leaf = group?.ownLeaf { leavers.insert(leaf) }
            step.show(room, ShownEntry(.leaving, for: message))
        case .commit: mergeStaged(message, index, &step)
        case .generation: beginGeneration(message, index, &step)
        }
    }

    /// A commit of one's own is in the order: the group goes on with it.
    private mutating func mergeStaged(_ message: NumberedMessage, _ index: Int, _ step: inout StepDraft) {
        let before = members
        let intent = intents[index]
        intents[index].progress = .wanted
        do {
            if !mergeAside(message, step) {
                guard intent.staged?.body == message.body else { throw MLSError.ownCommitLost }
                let content = try MLSMessage(wireBytes: message.body)
                let processed = try change(at: step) { (group) throws(MLSError) in try group.process(content) }
                guard case .commit = processed else { throw MLSError.ownCommitLost }
            }
        } catch {
            // It counts, and what it leads to is not here any more.
            meet(.commitNotProcessable(number: message.number), message, isReadable: false, &step)
            return
        }
        intents[index].hasEcho = intent.hasEcho || intent.wish == .renewKeys
        schedule = UpdateSchedule(renewedAt: step.now, draw: step.draw(upTo:))
        enterEpoch(message, from: before, by: nil, &step)
        // In the epoch that it has made: what follows in the log may undo it at once, and that stands. What would keep it waiting by
        // now, it has not waited for.
        guard let members, let place = intents.firstIndex(where: { $0.id == intent.id }),
            case .done = need(of: intents[place], members, step)
        else { return }
        finish(at: place, &step)
    }

    /// What was wished is so.
    private mutating func finish(at index: Int, _ step: inout StepDraft) {
        let intent = intents.remove(at: index)
        let number = live.numbers.removeValue(forKey: intent.id)
        if intent.wish == .leave { haveLeft(&step) }
        if !intent.wish.isDuty { step.tell(room, .wishIsDone(intent.id, number: number)) }
    }
}
