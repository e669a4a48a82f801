import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// What members say.
extension RoomCore {
    /// Opens a message, and holds it against what the relay says of it (H26).
    mutating func takeApplication(_ message: NumberedMessage, _ content: MLSMessage, _ step: inout StepDraft) {
        let opened: ProcessedMessage
        do {
            opened = try change(at: step) { (group) throws(MLSError) in try group.process(content) }
        } catch {
            if case .otherEpoch = error, hasRelayGoneBack {
                refuse(ofOtherEpoch: message, &step)
            } else {
                refuse(message, RoomCore.cause(of: error), &step)
            }
            return
        }
        guard case .application(let said) = opened else {
            takeOwn(message, &step)
            return
        }
        guard let leaf = members?.leaves[said.sender] else {
            refuse(message, .senderNoMember, &step)
            return
        }
        guard leaf.account == message.account, leaf.device == message.device,
            said.authenticatedData == MessageMark.bytes(message.id)
        else {
            refuse(message, .mislabelled, &step)
            return
        }
        show(message, said.data, &step)
    }

    /// Something under one's own leaf that this device has not made. Every member can write that leaf's number on a message that
    /// nobody can open, so that what another device has sent tells nothing of one's own keys.
    private mutating func takeOwn(_ message: NumberedMessage, _ step: inout StepDraft) {
        guard isOwn(message, step) else {
            refuse(message, .forged, &step)
            return
        }
        guard !history.hasReadBefore(message) else {
            refuse(message, .repeated, &step)
            return
        }
        // A key of one's own leaf was used: by this device as it was, or by a copy of it.
        haveSaid(message, &step)
        if PlantedFault.overlooksOwnMessages.isPresent { return }
        stateIsOlder(message, isReadable: true, &step)
    }

    /// What this device holds to be unsent has a number: it was said, and is not said again.
    mutating func haveSaid(_ message: NumberedMessage, _ step: inout StepDraft) {
        unsaid.removeAll { $0.id == message.id }
        guard let index = intents.firstIndex(where: { $0.id == message.id }) else { return }
        guard case .say(let part, let inReplyTo, _) = intents[index].wish else {
            intents[index].hasEcho = true
            if case .rename(let info) = intents[index].wish { hear(info, salt: message.id) }
            return
        }
        let intent = intents.remove(at: index)
        let head = ContentHead(written: intent.wished, seen: nil, counter: 0)
        // How it was sent is not known any more; what was said is.
        if let content = try? MimiContent(part, salt: intent.id, head: head, inReplyTo: inReplyTo) {
            step.show(room, ShownEntry(.content(content.encoded), for: message))
        }
        step.tell(room, .wishIsDone(intent.id, number: message.number))
    }

    /// Shows what was said, once.
    private mutating func show(_ message: NumberedMessage, _ data: [UInt8], _ step: inout StepDraft) {
        guard let head = try? ContentHead(ofMessage: data) else {
            step.show(room, ShownEntry(.unreadable(.newer), for: message))
            return
        }
        guard count(head.counter, of: message, &step) else {
            refuse(message, .repeated, &step)
            return
        }
        if let seen = head.seen { compareHistory(seen.hash, upTo: seen.number, by: message.account, &step) }
        guard let content = try? MimiContent(encoded: data) else {
            step.show(room, ShownEntry(.unreadable(.newer), for: message))
            return
        }
        guard content.salt == message.id else {
            refuse(message, .mislabelled, &step)
            return
        }
        if case .roomInfo(let info) = content.kind { hear(info, salt: content.salt) }
        let isHidden = PlantedFault.comesInAlways.isPresent
        step.show(room, ShownEntry(isHidden ? .unreadable(.beforeComingIn) : .content(data), for: message))
    }

    /// Shows what was said, and remembers what it says of the room.
    mutating func show(_ encoded: [UInt8], of message: NumberedMessage, _ step: inout StepDraft) {
        if let content = try? MimiContent(encoded: encoded), case .roomInfo(let info) = content.kind {
            hear(info, salt: content.salt)
        }
        step.show(room, ShownEntry(.content(encoded), for: message))
    }

    /// Counts a device's message.
    ///
    /// - Returns: whether it was not counted before.
    private mutating func count(_ counter: UInt64, of message: NumberedMessage, _ step: inout StepDraft) -> Bool {
        let sender = message.account.bytes + message.device.bytes
        let isFresh = freshSenders.remove(sender) != nil
        if let highest = counters[sender] {
            guard counter > highest else { return false }
            if counter > highest + 1, !isFresh {
                let missing = counter - highest - 1
                step.tell(room, .messagesMissing(message.account, message.device, count: missing))
            }
        }
        counters[sender] = counter
        return true
    }
}
