import MildamIdentity

/// What was said under an id is said once: a wish that comes again under it, after it was done and forgotten, is done.
extension RoomCore {
    /// The relay says that a message has its number, up to which the log was read. Whether what was read under that has its id, the
    /// store knows.
    mutating func lookUp(_ number: UInt64, of wish: MessageID, _ step: inout StepDraft) {
        guard live.lookingUp == nil else { return }
        live.lookingUp = wish
        step.readSaid(room, [number...number])
    }

    /// The entries of this device's that were asked for.
    mutating func take(said entries: [ShownEntry], _ step: inout StepDraft) {
        guard let id = live.lookingUp else { return }
        live.lookingUp = nil
        guard let index = intents.firstIndex(where: { $0.id == id }),
            case .staged(let message, number: let number?) = intents[index].progress, number <= history.number
        else { return }
        let wish = intents[index].wish
        let isSaid = entries.contains { entry in
            entry.number == number && entry.id == message.id && entry.account == step.device.account
                && entry.device == step.device.device
        }
        guard isSaid else {
            // What this device has passed over has been sent.
            guard history.digest(of: number) != nil else { return settle(sentIn: number...number, &step) }
            // The relay does not have it where it says that it is; what was made stays as it is, and nothing waits for it.
            intents[index].hold(message)
            pause(wish, &step)
            return
        }
        live.pauses[wish] = nil
        guard wish.isSaid else {
            intents[index].progress = .wanted
            intents[index].hasEcho = true
            if case .rename(let info) = wish { hear(info, salt: message.id) }
            return
        }
        intents.remove(at: index)
        step.tell(room, .wishIsDone(id, number: number))
    }
}
