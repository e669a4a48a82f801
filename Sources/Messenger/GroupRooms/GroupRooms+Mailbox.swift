import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamRelayAPI
import MildamWire

/// The Welcomes in the mailbox.
extension GroupRooms {
    /// Takes over the Welcomes that are there, each once, and has the relay drop what is taken; items of another kind stay.
    func readMail() async throws(MessengerError) {
        while true {
            let items = try await mail(from: welcomes &+ 1)
            guard let last = items.last?.number else { return }
            var arrived: [(number: UInt64, happening: Happening)] = []
            for item in items {
                guard item.kind == .welcome else {
                    firstForeign = min(firstForeign ?? item.number, item.number)
                    continue
                }
                if let happening = try await opened(item) { arrived.append((item.number, happening)) }
            }
            // Others may have read them meanwhile.
            guard last > welcomes else { continue }
            let new = arrived.filter { $0.number > welcomes }.map { $0.happening }
            guard new.isEmpty || attempt(new) else { throw .transport(.closed) }
            welcomes = last
            try await messenger.keep(welcomes: last)
            let through = min(last, (firstForeign ?? .max) - 1)
            guard through > 0 else { continue }
            try await relay.door.ask { (relay, access) throws(MessengerError) in
                try await relay.dropMailbox(through: through, access)
            }
        }
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

    /// A Welcome with the tree of its epoch; where that is gone, the device comes in from outside (H37). `nil` for what is none, and
    /// where the account has been put out meanwhile.
    private func opened(_ item: MailboxItem) async throws(MessengerError) -> Happening? {
        guard let welcome = try? WelcomeItem(wireBytes: [UInt8](item.body)) else { return nil }
        let tree: [UInt8]
        do throws(MessengerError) {
            tree = try await relay.tree(of: item.room, generation: welcome.generation, epoch: welcome.epoch)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            switch refusal.code {
            case .gone, .staleEpoch: return .seat(item.room, generation: UInt64(welcome.generation))
            case .notAMember, .unknownRoom: return nil
            default: throw error
            }
        }
        return .welcome(
            ArrivedWelcome(
                room: item.room,
                generation: UInt64(welcome.generation),
                number: welcome.number,
                welcome: welcome.welcome,
                tree: tree,
                isOfKnownSender: !item.isRequest
            )
        )
    }
}
