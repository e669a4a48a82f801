import FoundationEssentials
import MildamClientCore
import MildamIdentity
import MildamRelay
import MildamRelayAPI
import MildamRoomRules
import MildamWire

/// The relay's own code: its rules, groups and store, asked in the simulation's thread (`PlayedRelay`). Here is what stands between
/// it and a client in a real house: what the driver makes of a request, and of an answer.
package struct StoreRelay: SimulatedRelay {
    private var relay: PlayedRelay
    private var milliseconds: UInt64
    private var steady: UInt64 = 0
    private var incarnation: IncarnationID = Cast.identifier([1])
    /// The devices as their accounts have published them last.
    private var devices: [AccountID: OwnDevice]
    private var rooms: [RoomID: Known] = [:]
    private var seats: [AccountID: Set<RoomID>] = [:]
    /// What lies in each device's mailbox.
    private var mailboxes: [AccountID: [MailboxItem]] = [:]
    private var roomsToAsk: Set<RoomID> = []

    /// A room as it was when something was done in it last.
    private struct Known {
        var state: RelayRoomState
        var last: UInt64
        var accounts: Set<AccountID>
        /// Who has said that they leave.
        var leavers: Set<AccountID>
    }

    package var shutsOut: Bool { true }
    package var trouble: String? { relay.trouble }

    /// A relay that these have accounts with, who all know one another.
    ///
    /// - Parameter milliseconds: since 1970.
    package init(_ people: [OwnDevice], limitsRates: Bool = true, at milliseconds: UInt64 = 1_700_000_000_000) {
        self.milliseconds = milliseconds
        devices = Dictionary(people.map { ($0.account, $0) }) { first, _ in first }
        do {
            relay = try PlayedRelay(
                limitsRates: limitsRates,
                incarnation: incarnation,
                at: Int64(milliseconds)
            )
        } catch {
            preconditionFailure("a store in memory cannot be made: \(error)")
        }
        guard case .success = relay.make(people.map(\.played)) else {
            preconditionFailure("accounts cannot be made: \(relay.trouble ?? "refused")")
        }
    }

    private init(_ other: StoreRelay, _ relay: PlayedRelay) {
        self = other
        self.relay = relay
    }

    // MARK: What happens to it

    package func copy() -> StoreRelay {
        do {
            return StoreRelay(self, try relay.copy())
        } catch {
            preconditionFailure("a store in memory cannot be copied: \(error)")
        }
    }

    /// The store is as it was; what accounts have published since, their clients publish again.
    package func restored(as incarnation: UInt8, inPlaceOf present: StoreRelay) -> StoreRelay {
        var next =
            PlantedFault.givesNumbersTwice.isPresent ? copy() : putBack(as: incarnation, inPlaceOf: present)
        next.tell(milliseconds: present.milliseconds, steady: present.steady)
        for account in present.devices.keys.sorted() {
            guard let device = present.devices[account] else { continue }
            if device.list.wireBytes != devices[account]?.list.wireBytes { next.publish(device) }
        }
        next.seats = present.seats
        next.mailboxes = [:]
        next.rooms = [:]
        for account in devices.keys.sorted() { next.readMailbox(of: account) }
        for room in present.rooms.keys.sorted() { next.look(at: room) }
        return next
    }

    private func putBack(as incarnation: UInt8, inPlaceOf present: StoreRelay) -> StoreRelay {
        do {
            let name: IncarnationID = Cast.identifier([incarnation])
            let store = try relay.putBack(as: name, at: Int64(present.milliseconds), steady: present.steady)
            var other = StoreRelay(self, store)
            other.incarnation = name
            return other
        } catch {
            preconditionFailure("a store in memory cannot be put back: \(error)")
        }
    }

    /// The relay goes on by itself.
    package mutating func endTakingBack(offered _: [RoomID: [UInt64]]) -> Bool {
        for room in rooms.keys.sorted() { look(at: room) }
        return true
    }

    package mutating func tell(milliseconds: UInt64, steady: UInt64) {
        self.milliseconds = milliseconds
        self.steady = steady
        relay.tell(milliseconds: Int64(milliseconds), steady: steady)
    }

    package mutating func upload(_ blob: BlobID, to room: RoomID, from device: OwnDevice) {
        // Who is not in the room cannot; then its message is refused.
        _ = relay.upload(blob, to: room, by: device.asking)
    }

    package mutating func forget(before number: UInt64, in room: RoomID) {
        guard let stored = relay.message(number, in: room)?.stored else { return }
        // What cannot be dropped is told as trouble.
        _ = relay.drop(storedBefore: stored)
    }

    package mutating func publish(_ device: OwnDevice) {
        guard let before = devices[device.account] else { return }
        devices[device.account] = device
        // One that has these keys already is answered the same.
        _ = relay.renew(device.played, replacing: before.bundle)
    }

    package mutating func delete(_ device: OwnDevice, leaving closing: Signed<AccountClosing>) {
        // What cannot be deleted is told as trouble.
        _ = relay.delete(device.asking, leaving: closing.wireBytes)
        devices[device.account] = nil
        mailboxes[device.account] = nil
        seats[device.account] = nil
        for room in rooms.keys.sorted() { look(at: room) }
    }

    // MARK: What it has

    package func last(of room: RoomID) -> UInt64 { rooms[room]?.last ?? 0 }

    package func state(of room: RoomID) -> RelayRoomState? { rooms[room]?.state }

    package func message(_ number: UInt64, in room: RoomID) -> NumberedMessage? {
        relay.message(number, in: room).flatMap { NumberedMessage($0) }
    }

    package func lost(in room: RoomID) -> [ClosedRange<UInt64>] { relay.lost(in: room) }

    package func serves(_ account: AccountID, in room: RoomID) -> Bool {
        guard let known = rooms[room] else { return false }
        return known.accounts.contains(account) && !known.leavers.contains(account)
    }

    package func left(of account: AccountID) -> Int {
        guard let device = devices[account], case .success(let count) = relay.stock(of: device.asking) else { return 0 }
        return count.left
    }

    package mutating func takeRoomsToAsk() -> [RoomID] {
        defer { roomsToAsk = [] }
        return roomsToAsk.sorted()
    }

    // MARK: Mailboxes

    package func hasMail(of account: AccountID) -> Bool { mailboxes[account]?.isEmpty == false }

    package func mail(of account: AccountID) -> [ArrivedWelcome] {
        (mailboxes[account] ?? []).compactMap { item in
            guard let welcome = try? WelcomeItem(wireBytes: [UInt8](item.body)),
                case .success(let tree) = tree(of: item.room, welcome, for: account)
            else { return nil }
            return ArrivedWelcome(
                room: item.room,
                generation: UInt64(welcome.generation),
                number: welcome.number,
                welcome: welcome.welcome,
                tree: tree,
                isOfKnownSender: !item.isRequest
            )
        }
    }

    /// Where a Welcome's tree is gone, the device comes in from outside (H37).
    package func seats(of account: AccountID) -> [RoomID] {
        var found = seats[account] ?? []
        for item in mailboxes[account] ?? [] {
            guard let welcome = try? WelcomeItem(wireBytes: [UInt8](item.body)),
                case .failure(let refusal) = tree(of: item.room, welcome, for: account),
                refusal.code == .gone || refusal.code == .staleEpoch
            else { continue }
            found.insert(item.room)
        }
        return found.sorted()
    }

    private func tree(of room: RoomID, _ welcome: WelcomeItem, for account: AccountID) -> Result<[UInt8], APIError> {
        guard let device = devices[account] else { return .failure(APIError(.notAMember, "there is no such device")) }
        return relay.tree(of: room, generation: welcome.generation, epoch: welcome.epoch, by: device.asking)
    }

    package mutating func dropMail(of account: AccountID, count _: Int) {
        guard let device = devices[account], let last = mailboxes.removeValue(forKey: account)?.last else { return }
        _ = relay.dropMailbox(of: device.asking, through: last.number)
    }

    package mutating func dropSeats(of account: AccountID) { seats[account] = nil }

    private mutating func readMailbox(of account: AccountID) {
        guard let device = devices[account] else { return }
        let known = mailboxes[account] ?? []
        var page = relay.mailbox(of: device.asking, from: (known.last?.number ?? 0) + 1)
        if case .failure(let refusal) = page, refusal.code == .gone, let first = refusal.number {
            page = relay.mailbox(of: device.asking, from: first)
        }
        guard case .success(let found) = page, !found.items.isEmpty else { return }
        mailboxes[account] = known + found.items
    }

    // MARK: What it is asked

    package mutating func answer(_ request: RoomRequest, from device: OwnDevice, seen: UInt64) -> RelayReply {
        let exchange = RelayExchange(relay: relay, device: device.asking, seen: seen)
        let reply: RelayReply
        if case .claim(let id, let account, for: let room) = request {
            let list = (devices[account] ?? Cast.device(Cast.person(account))).list
            reply = exchange.claim(id, account, for: room, list)
        } else {
            reply = exchange.answer(request)
        }
        let news = relay.takeNews()
        roomsToAsk.formUnion(news.groupInfos)
        for account in news.mailboxes.sorted() { readMailbox(of: account) }
        switch request {
        case .create(let room, groupInfo: _, tree: _), .send(let room, _), .refill(let room, _): look(at: room)
        // Whoever reads shows what a relay that was put back has lost.
        case .page(let room, after: _): if incarnation != Cast.identifier([1]) { look(at: room) }
        case .group, .claim, .keyPackages, .groupInfo: break
        }
        return reply
    }

    /// What is told over a connection, to those who are served.
    package mutating func page(_ room: RoomID, after number: UInt64, for account: AccountID) -> LogPage {
        if case .success(let page) = relay.page(of: room, from: number + 1, for: account) {
            return LogPage(page, of: room)
        }
        // Nothing of it: who is behind what is kept asks for it.
        return LogPage(
            room: room,
            messages: [],
            first: 1,
            last: last(of: room),
            epoch: rooms[room]?.state.epoch ?? 0,
            incarnation: incarnation.bytes
        )
    }

    private func hasWelcome(_ account: AccountID, to room: RoomID) -> Bool {
        mailboxes[account]?.contains { $0.room == room } ?? false
    }

    /// Looks at what a room is now.
    private mutating func look(at room: RoomID) {
        let last = relay.last(of: room)
        // Nothing has happened.
        if let known = rooms[room], known.last == last { return }
        guard let found = relay.room(room) else {
            // Where everybody has left, nobody is in it.
            guard let known = rooms[room] else { return }
            let leaves = known.state.leaves
            rooms[room]?.state = known.state.with(leaves: leaves, leaving: leaves.count)
            rooms[room]?.last = last
            rooms[room]?.leavers = leaves
            return
        }
        let members = found.members
        if let known = rooms[room] {
            // Whoever comes in without a Welcome is told of the room, be it by a seat or by a commit that is given back.
            for account in members.accounts where !known.accounts.contains(account) && !hasWelcome(account, to: room) {
                seats[account, default: []].insert(room)
            }
        }
        rooms[room] = Known(
            state: RelayRoomState(
                generation: UInt64(found.generation),
                epoch: found.epoch,
                leaves: Set(members.leaves.values.map(\.account)),
                leaving: found.leaving.count
            ),
            last: last,
            accounts: members.accounts,
            leavers: Set(found.leaving.compactMap { members.leaves[$0]?.account })
        )
    }
}

extension RelayRoomState {
    /// The same with others who have a leaf, and who leave.
    fileprivate func with(leaves: Set<AccountID>, leaving: Int) -> RelayRoomState {
        RelayRoomState(generation: generation, epoch: epoch, leaves: leaves, leaving: leaving)
    }
}

extension OwnDevice {
    /// How a relay that is played knows who asks.
    fileprivate var asking: PlayedDevice { PlayedDevice(account, device) }

    /// The account as a relay that is played has it.
    fileprivate var played: PlayedAccount {
        PlayedAccount(asking, handle: Cast.handle(account), key: signing.publicKey, bundle: bundle)
    }

    /// The account's records, as it has published them.
    fileprivate var bundle: [UInt8] {
        let person = Cast.person(account)
        let record = AccountRecord(
            relay: relay,
            account: account,
            handle: Cast.handle(account),
            identityKey: credential.identityKey,
            nextIdentity: Cast.nextIdentity(person)
        )
        let bundle = AccountBundle(
            account: Signed(record, by: Cast.identity(person)),
            list: list,
            devices: [credential.record]
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(bundle))
        } catch {
            preconditionFailure("a sample is wrong: \(error)")
        }
    }
}
