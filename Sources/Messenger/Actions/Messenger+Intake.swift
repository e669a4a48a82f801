import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

/// What becomes of the letters in the mailbox, by the rules of `Consent`.
extension Messenger {
    /// The items of a page, read but not verified.
    func letters(
        of page: MailboxPage,
        after taken: UInt64,
        _ account: AccountState
    ) throws(MessengerError) -> [Letter] {
        var last = taken
        var letters: [Letter] = []
        for item in page.items {
            guard item.number > last, item.number < UInt64(Int64.max) else {
                throw .relayAnswer("a mailbox that goes backwards")
            }
            last = item.number
            if item.kind == .envelope { letters.append(Letter(item, for: account)) }
        }
        return letters
    }

    /// What is at hand for taking letters in. Whom this account knows is read only if one of them is from outside its rooms.
    func intake(
        of letters: [Letter],
        _ senders: [Handle: ClaimedSender],
        _ store: ClientStore
    ) throws(MessengerError) -> Intake {
        var intake = Intake(consent: try store.consent(), senders: senders)
        for letter in letters {
            guard case .success(let envelope) = letter.content,
                try standing(of: envelope, store) == .outside
            else { continue }
            intake.links = try store.record(.openLinks, []) ?? OpenLinks()
            let rooms = try store.records(.room)
            var pins: [AccountPin] = []
            for record in try store.records(.pin) {
                if let pin = try pin(record.pin().handle, store) { pins.append(pin) }
            }
            intake.known = Acquaintances(
                pins: pins,
                rosters: rooms.filter { $0.standing == .member || $0.standing == .removed }.map(\.members)
            )
            for room in rooms where room.standing == .invited {
                if let inviter = room.invitedBy { intake.waiting[inviter, default: 0] += 1 }
            }
            break
        }
        return intake
    }

    /// Fetches the records of those whom letters claim to be from, where that is somebody known, or who has a link: each once.
    ///
    /// - Returns: how many letters can be taken, and why not the next one.
    func identify(
        _ letters: [Letter],
        _ intake: inout Intake,
        _ account: AccountState,
        _ store: ClientStore
    ) async -> (ready: Int, failure: MessengerError?) {
        for (index, letter) in letters.enumerated() {
            do throws(MessengerError) {
                guard case .success(let envelope) = letter.content,
                    try verdict(on: envelope, letter, intake, store) == .verify
                else { continue }
                let handle = envelope.header.senderHandle
                guard intake.senders[handle] == nil else { continue }
                intake.senders[handle] = try await claimedSender(handle, account, store)
            } catch {
                return (index, error)
            }
        }
        return (letters.count, nil)
    }

    /// Stores what becomes of letters, all of it at once.
    func take(
        _ letters: ArraySlice<Letter>,
        _ intake: inout Intake,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) {
        var present = intake
        try store.transaction { () throws(MessengerError) in
            for letter in letters { try take(letter, &present, account, store) }
            if present.isChanged { try store.put(present.consent, as: .consent, []) }
            if present.hasUsedLink { try store.put(present.links, as: .openLinks, []) }
            if let last = letters.last { try store.put(last.number, as: .mailbox, []) }
        }
        intake = present
    }

    private func take(
        _ letter: Letter,
        _ intake: inout Intake,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) {
        let envelope: KeyEnvelope
        switch letter.content {
        case .failure(let cause): return intake.setAside(cause, letter, at: clock.milliseconds)
        case .success(let readable): envelope = readable
        }
        switch try verdict(on: envelope, letter, intake, store) {
        case .ignore: break
        // Of a room that this account is in, whether the sender is a member may be known only once a message begins the
        // generation: the one that brought them in may not have been taken in yet. And an invitation that a person has seen
        // is never replaced by another.
        case .keep: try store.keep(envelope, from: letter.from)
        case .ask: try ask(envelope, letter, &intake, store)
        case .setAside(let cause): intake.setAside(cause, letter, at: clock.milliseconds)
        case .verify: try takeInvitation(envelope, letter, &intake, account, store)
        }
    }

    /// Takes an invitation from somebody known, if it is from them.
    private func takeInvitation(
        _ envelope: KeyEnvelope,
        _ letter: Letter,
        _ intake: inout Intake,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) {
        let now = clock.milliseconds
        let header = envelope.header
        switch intake.senders[header.senderHandle] {
        case nil:
            try ask(envelope, letter, &intake, store)
        case .refused(let cause):
            intake.setAside(cause, letter, at: now)
            // Perhaps the relay shows the right key, or the newest list, when the person asks.
            if cause == .otherKey || cause == .relayIsBehind { try ask(envelope, letter, &intake, store) }
        case .verified(let sender):
            // Whom this account does not know comes by a link, or it would be a request.
            let isKnown = intake.known.mayBe(header.senderAccount, header.senderHandle)
            guard !isKnown || intake.known.know(sender.record) else {
                intake.setAside(.toldUnderAnotherKey, letter, at: now)
                return try ask(envelope, letter, &intake, store)
            }
            switch try invitation(in: envelope, from: sender, account, store) {
            case .failure(let cause):
                intake.setAside(cause, letter, at: now)
                if cause != .unreadable { intake.consent.senders.note(header.senderAccount, at: clock.seconds) }
            case .success(let invitation):
                try take(invitation, in: envelope, &intake.consent, store)
                intake.isChanged = true
                if !isKnown {
                    intake.links.use(at: clock.seconds)
                    intake.hasUsedLink = true
                }
                intake.waiting[header.senderHandle, default: 0] += 1
            }
        }
    }

    /// Keeps an envelope apart until a person asks for it.
    private func ask(
        _ envelope: KeyEnvelope,
        _ letter: Letter,
        _ intake: inout Intake,
        _ store: ClientStore
    ) throws(MessengerError) {
        let header = envelope.header
        let outcome = intake.consent.requests.add(
            Arrival(envelope, size: letter.size),
            isKnown: intake.known.mayBe(header.senderAccount, header.senderHandle),
            at: clock.milliseconds
        )
        switch outcome {
        case .full:
            intake.setAside(.full, letter, at: clock.milliseconds)
        case .kept(let number, let dropped):
            intake.isChanged = true
            try store.put(Data(envelope.wireBytes), as: .requestBody, Consent.name(of: number))
            for gone in dropped { try store.remove(.requestBody, Consent.name(of: gone)) }
        }
    }

    /// What the rule of intake says of an envelope.
    private func verdict(
        on envelope: KeyEnvelope,
        _ letter: Letter,
        _ intake: Intake,
        _ store: ClientStore
    ) throws(MessengerError) -> Consent.Verdict {
        let header = envelope.header
        return intake.consent.verdict(
            on: Arrival(envelope, size: 0),
            standing: try standing(of: envelope, store),
            isKnown: intake.known.mayBe(header.senderAccount, header.senderHandle),
            isByLink: letter.isPastStrangers && intake.links.areOpen(at: clock.seconds),
            waiting: intake.waiting[header.senderHandle] ?? 0,
            at: clock.seconds
        )
    }

    private func standing(of envelope: KeyEnvelope, _ store: ClientStore) throws(MessengerError) -> Consent.Standing {
        let known = try store.record(.room, envelope.header.room.bytes)
        return switch known?.standing {
        case .member: .member(isAhead: known?.generationsAhead.contains(envelope.header.generation) == true)
        case .invited: .invited
        case .left, .removed, nil: .outside
        }
    }
}
