import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import MildamTransport
import MildamWire

/// The Welcomes in the mailbox.
extension GroupRooms {
    /// A Welcome, and what is known of it before it is opened.
    private struct Item {
        let number: UInt64
        let letter: WelcomeLetter
        let welcome: WelcomeItem

        /// As it waits for a person who has not accepted: its tree is fetched once they have, since nobody knows how long it is.
        var waiting: Happening {
            .welcome(
                ArrivedWelcome(
                    room: letter.room,
                    generation: UInt64(welcome.generation),
                    number: welcome.number,
                    welcome: welcome.welcome,
                    tree: [],
                    isOfKnownSender: false
                )
            )
        }
    }

    /// The tree of a Welcome that could not be had.
    struct FailedTree {
        /// In how many moments it was asked for.
        var count = 0
        /// When the last of them was; asked for again within it, it counts once.
        var countedAt: UInt64?

        /// How long a moment is, in milliseconds.
        static var moment: UInt64 { 5_000 }

        /// How often it is asked for: more often where the relay says that it cannot be had just now.
        static func attempts(after error: MessengerError) -> Int {
            if case .refused(let refusal) = error, refusal.mayPass { 10 } else { 3 }
        }

        mutating func fail(at now: UInt64) {
            if let countedAt, now < countedAt + Self.moment { return }
            count += 1
            countedAt = now
        }
    }

    /// Takes over the Welcomes that are there, each once, and has the relay drop what is taken, with items of another kind: nothing
    /// is done with them. What is from a stranger waits until a person asks for it (H7).
    func readMail() async throws(MessengerError) {
        do throws(MessengerError) { try await takeMail() } catch {
            link?.isLookDue = true
            throw error
        }
    }

    private func takeMail() async throws(MessengerError) {
        // One after the other: what two took at once would count twice.
        while isReadingMail { await withCheckedContinuation { mailReaders.append($0) } }
        isReadingMail = true
        defer {
            isReadingMail = false
            for reader in mailReaders { reader.resume() }
            mailReaders = []
        }
        while true {
            let items = try await mail(from: welcomes &+ 1)
            guard let last = items.last?.number else { return try await messenger.tellStandings() }
            var arrived: [Item] = []
            for item in items where item.kind == .welcome {
                if let welcome = try? WelcomeItem(wireBytes: [UInt8](item.body)) {
                    arrived.append(Item(number: item.number, letter: letter(of: item, welcome), welcome: welcome))
                }
            }
            let left = try await take(arrived)
            try await leave(behind: left.map { $0.number - 1 } ?? last)
            if let left { throw left.error }
        }
    }

    /// Whether the mailbox could be read to its end.
    func hasReadMail() async -> Bool {
        do throws(MessengerError) {
            try await readMail()
            return true
        } catch {
            return false
        }
    }

    /// What was taken over up to a number is not looked at again, and goes from the mailbox.
    private func leave(behind number: UInt64) async throws(MessengerError) {
        // Others may have read them meanwhile.
        guard number > welcomes else { return }
        welcomes = number
        try await messenger.keep(welcomes: number)
        try await relay.door.ask { (relay, access) throws(MessengerError) in
            try await relay.dropMailbox(through: number, access)
        }
    }

    /// Takes Welcomes in, by what becomes of each.
    ///
    /// - Returns: the number of the first that is left for another time, with those behind it, and why; `nil` where none is.
    private func take(
        _ items: [Item]
    ) async throws(MessengerError) -> (number: UInt64, error: MessengerError)? {
        let verdicts = try await messenger.sort(items.map(\.letter), fellows: fellows, waiting: waitingInvitations)
        var happenings: [(number: UInt64, happening: Happening)] = []
        var known: [WelcomeLetter] = []
        var asked: [RoomID: Int] = [:]
        var left: (number: UInt64, error: MessengerError)?
        for (item, verdict) in zip(items, verdicts) where verdict != .dropped {
            let isKnown = verdict == .known
            let found: Happening?
            do throws(MessengerError) {
                found = if isKnown { try await opened(item) } else { item.waiting }
            } catch {
                left = (item.number, error)
                break
            }
            guard let happening = found else { continue }
            happenings.append((item.number, happening))
            if isKnown { known.append(item.letter) }
            if !isKnown, case .welcome(let welcome) = happening {
                asked[welcome.room] = welcome.welcome.count
            }
        }
        let new = happenings.filter { $0.number > welcomes }.map { $0.happening }
        guard new.isEmpty || attempt(new) else { throw .transport(.closed) }
        try await messenger.weigh(asked)
        try await doubt(known)
        try await followRequests()
        return left
    }

    /// Opens a Welcome of somebody known. Where its tree does not come however often it is asked for, the device comes in from
    /// outside: one tree keeps nobody from the rest of the mailbox.
    private func opened(_ item: Item) async throws(MessengerError) -> Happening? {
        do throws(MessengerError) {
            let happening = try await opened(item.letter.room, item.welcome)
            failedTrees[item.number] = nil
            return happening
        } catch {
            failedTrees[item.number, default: FailedTree()].fail(at: steady.now)
            guard let failed = failedTrees[item.number], failed.count >= FailedTree.attempts(after: error) else {
                throw error
            }
            failedTrees[item.number] = nil
            return .seat(item.letter.room, generation: UInt64(item.welcome.generation))
        }
    }

    /// What was said to be from somebody known, and is not, is a request all the same.
    private func doubt(_ letters: [WelcomeLetter]) async throws(MessengerError) {
        for letter in letters where letter.standing == .outside {
            guard let room = present[letter.room], room.standing == .invited, let inviter = room.invitedBy,
                let sender = letter.from, inviter != sender
            else { continue }
            try await messenger.doubt(letter, from: inviter, because: .otherAccount)
        }
    }

    private func letter(of item: MailboxItem, _ welcome: WelcomeItem) -> WelcomeLetter {
        WelcomeLetter(
            room: item.room,
            generation: welcome.generation,
            epoch: welcome.epoch,
            from: item.from,
            isPastStrangers: !item.isRequest && item.from != nil,
            size: item.body.count,
            standing: consentStanding(in: item.room)
        )
    }

    /// The items from a number on, ascending; from the first one that is kept, where that is a later one.
    private func mail(from number: UInt64) async throws(MessengerError) -> [MailboxItem] {
        let page: MailboxPage
        do throws(MessengerError) {
            page = try await relay.door.ask { (relay, access) throws(MessengerError) in
                try await relay.mailbox(from: number, access)
            }
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .gone, let first = refusal.number, first > number
            else { throw error }
            page = try await relay.door.ask { (relay, access) throws(MessengerError) in
                try await relay.mailbox(from: first, access)
            }
        }
        var last = number - min(number, 1)
        for item in page.items {
            guard item.number > last else { throw .relayAnswer("a mailbox that goes backwards") }
            last = item.number
        }
        return page.items
    }

    /// A Welcome of somebody known with the tree of its epoch; where that is gone, or longer than any, the device comes in from
    /// outside (H37). `nil` where the account has been put out meanwhile.
    func opened(_ room: RoomID, _ welcome: WelcomeItem) async throws(MessengerError) -> Happening? {
        let seat = Happening.seat(room, generation: UInt64(welcome.generation))
        let tree: [UInt8]
        do throws(MessengerError) {
            tree = try await relay.tree(of: room, generation: welcome.generation, epoch: welcome.epoch)
        } catch {
            if case .transport(.limitExceeded) = error { return seat }
            guard case .refused(let refusal) = error else { throw error }
            switch refusal.code {
            case .gone, .staleEpoch: return seat
            case .notAMember, .unknownRoom: return nil
            default: throw error
            }
        }
        guard tree.count <= RoomLimits.tree else { return seat }
        return .welcome(
            ArrivedWelcome(
                room: room,
                generation: UInt64(welcome.generation),
                number: welcome.number,
                welcome: welcome.welcome,
                tree: tree,
                isOfKnownSender: true
            )
        )
    }
}
