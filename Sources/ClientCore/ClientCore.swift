import MildamContent
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// A client's rooms, without a clock, chance, a disk or a network of its own: each step takes what happened, and gives what is to
/// be stored and then to be done.
///
/// A value, and the same each time: of equal happenings at equal moments, with equal randomness, come equal steps.
public struct ClientCore: Sendable {
    /// Who the client is.
    public private(set) var device: OwnDevice { didSet { credential = ClientCore.digest(of: device) } }
    /// SHA-256 of what the device's leaves are to say of it, 32 bytes.
    private var credential: [UInt8]
    /// The rooms.
    public internal(set) var rooms: [RoomID: RoomCore]
    /// The private parts of key packages.
    public private(set) var keyPackages: KeyPackageStock
    private let randomness: Randomness
    private var lists: [AccountID: KnownDeviceList] = [:]
    private var closings: [AccountID: KnownClosing] = [:]
    private var pins: [AccountID: Curve25519.Signing.PublicKey] = [:]
    private(set) var isConnected = false
    private var nextRequest: UInt64 = 0
    private(set) var asked: [RequestID: StepDraft.Asker] = [:]
    /// How many key packages the relay has, as it said last; `nil` while it is asked to keep more.
    private var stockLeft: Int?
    /// Key packages that the relay was asked to keep and has not said that it does, and how many it had then.
    private var offered: (left: Int, keyPackages: [[UInt8]])?
    /// Rooms of which something that is stored does not open, and that have not been told so.
    var damaged: Set<RoomID>
    /// The rooms that something happened in, the one of last at the end.
    private(set) var lastUsed: [RoomID] = []
    /// How many rooms have their groups in memory, where no more of them have something to do.
    let mostAwake: Int

    /// A client that begins.
    ///
    /// - Parameters:
    ///   - stored: what its store has; nothing is sent in a room before its log was read to the end.
    ///   - randomness: where keys, ids and delays come from.
    ///   - mostAwake: how many rooms have their groups in memory, where no more of them have something to do.
    public init(
        _ device: OwnDevice,
        stored: StoredClient = StoredClient(),
        randomness: Randomness,
        mostAwake: Int = ClientCore.awakeRooms
    ) {
        self.device = device
        credential = ClientCore.digest(of: device)
        self.randomness = randomness
        self.mostAwake = mostAwake
        keyPackages = stored.keyPackages
        damaged = stored.damaged
        rooms = [:]
        for room in stored.rooms {
            var room = room
            room.live = RoomCore.Live()
            rooms[room.room] = room
        }
    }

    /// Makes a step.
    public mutating func step(_ happenings: [Happening], at moment: Moment) -> Step {
        let (roomsBefore, stockBefore) = (rooms, keyPackages)
        var draft = self.draft(at: moment)
        var touched: Set<RoomID> = []
        // By this device's own time: what a relay keeps back is not to open for ever (H23).
        var hasStockChanged = keyPackages.forget(at: moment.wallSeconds)
        if hasStockChanged { offered = nil }
        let writtenAnew = damaged
        for room in writtenAnew.sorted() { change(room, &draft, &touched) { $0.haveDamagedRecords(&$1) } }
        damaged = []
        for happening in happenings {
            switch happening {
            case .connected, .disconnected: connect(happening, &draft, &touched)
            case .tick: touched.formUnion(rooms.keys)
            case .stock(let left): hasStockChanged = refill(left: left, &draft) || hasStockChanged
            case .device(let next):
                change(next, &draft, &touched)
                hasStockChanged = true
            case .list(let list): learn(list, &draft, &touched)
            case .closing(let closing): learn(closing, &draft, &touched)
            case .pin(let account, let key):
                pins[account] = key
                draft.pins = pins
                touched.formUnion(rooms.keys)
            case .reply(let request, let reply): take(reply, to: request, &draft, &touched)
            case .welcome(let welcome):
                take(welcome, &draft)
                touched.insert(welcome.room)
                hasStockChanged = true
            case .wish(let room, let wish, let id):
                take(wish, id, in: room, &draft)
                touched.insert(room)
                hasStockChanged = hasStockChanged || wish == .accept
            case .decline(let room, let id):
                decline(room, id, &draft)
                touched.insert(room)
            case .create(let room, let info, let policy):
                create(room, info, policy, &draft)
                touched.insert(room)
            case .createAfter(let older, let room):
                goOn(with: older, as: room, draft)
                touched.insert(room)
            case .seat(let room, let generation):
                seat(room, generation, &draft)
                touched.insert(room)
            case .noMember(let room): change(room, &draft, &touched) { $0.beShutOut(&$1) }
            case .forget(let room): forget(room, asStored: roomsBefore[room], &draft)
            case .live(let page):
                change(page.room, &draft, &touched) { core, draft in
                    if core.isFollowed { core.take(page, isAnswer: false, &draft) }
                }
            case .groupInfoWanted(let room, let generation, let epoch):
                change(room, &draft, &touched) { core, draft in
                    core.answer(groupInfoOf: generation, epoch: epoch, &draft)
                }
            case .lost(let room, let words):
                change(room, &draft, &touched) { $0.sayAgain(words, &$1) }
            case .said(let room, let entries):
                change(room, &draft, &touched) { $0.take(said: entries, &$1) }
            case .drop(let room, let id): change(room, &draft, &touched) { $0.drop(id, &$1) }
            case .kept(let room, let messages):
                change(room, &draft, &touched) { $0.refill(messages, &$1) }
            }
        }
        if happenings.contains(where: \.isOfAllRooms) { wakeToForget(&draft) } else { use(touched) }
        for room in touched.sorted() {
            guard var core = rooms[room] else { continue }
            if core.openLateWelcome(&keyPackages, &draft) { hasStockChanged = true }
            core.advance(&draft)
            rooms[room] = core
            let stored = roomsBefore[room]
            if let stored, !writtenAnew.contains(room), core.isStored(as: stored) { continue }
            draft.changes.append(.room(core, replacing: stored))
        }
        if hasStockChanged { draft.changes.append(.keyPackages(keyPackages, replacing: stockBefore)) }
        nextRequest = draft.nextRequest
        asked.merge(draft.asked) { _, new in new }
        return draft.step
    }

    /// A step that begins, with what the client knows beside its rooms.
    func draft(at moment: Moment) -> StepDraft {
        var draft = StepDraft(
            device: device,
            credential: credential,
            moment: moment,
            randomness: randomness,
            lists: lists,
            isConnected: isConnected,
            nextRequest: nextRequest
        )
        draft.closings = closings
        draft.pins = pins
        return draft
    }

    private static func digest(of device: OwnDevice) -> [UInt8] { GroupOutline.digest(device.credential.wireBytes) }

    private mutating func use(_ rooms: Set<RoomID>) {
        lastUsed.removeAll { rooms.contains($0) }
        lastUsed = Array((lastUsed + rooms.sorted()).suffix(4 * mostAwake))
    }

    private mutating func change(
        _ room: RoomID,
        _ draft: inout StepDraft,
        _ touched: inout Set<RoomID>,
        _ body: (inout RoomCore, inout StepDraft) -> Void
    ) {
        guard var core = rooms[room] else { return }
        body(&core, &draft)
        rooms[room] = core
        touched.insert(room)
    }

    // MARK: The relay

    private mutating func connect(_ happening: Happening, _ draft: inout StepDraft, _ touched: inout Set<RoomID>) {
        if case .connected = happening { isConnected = true } else { isConnected = false }
        draft.isConnected = isConnected
        asked = [:]
        stockLeft = nil
        for room in rooms.keys.sorted() { rooms[room]?.reconnect(draft) }
        touched.formUnion(rooms.keys)
    }

    private mutating func take(
        _ reply: RelayReply,
        to request: RequestID,
        _ draft: inout StepDraft,
        _ touched: inout Set<RoomID>
    ) {
        switch asked.removeValue(forKey: request) {
        case .room(let room)?: change(room, &draft, &touched) { $0.take(reply, to: request, &$1) }
        case .keyPackages?: if case .done = reply { offered = nil }
        case nil: break
        }
    }

    private mutating func learn(
        _ list: KnownDeviceList,
        _ draft: inout StepDraft,
        _ touched: inout Set<RoomID>
    ) {
        let account = list.signed.claimed.account
        if let known = lists[account], list.version <= known.version { return }
        lists[account] = list
        draft.lists[account] = list
        touched.formUnion(rooms.keys)
    }

    /// The same again says nothing.
    private mutating func learn(_ closing: KnownClosing, _ draft: inout StepDraft, _ touched: inout Set<RoomID>) {
        guard closing.account != device.account, closings[closing.account]?.key != closing.key else { return }
        closings[closing.account] = closing
        draft.closings = closings
        touched.formUnion(rooms.keys)
    }

    /// The device has new keys: each room gets them, and key packages of the old ones open nothing any more (H17).
    private mutating func change(_ next: OwnDevice, _ draft: inout StepDraft, _ touched: inout Set<RoomID>) {
        guard next.client == device.client else { return }
        device = next
        draft.device = next
        for room in rooms.keys { rooms[room]?.haveNewKeys() }
        keyPackages = KeyPackageStock()
        offered = nil
        _ = refill(left: 0, &draft)
        learn(next.knownList, &draft, &touched)
        touched.formUnion(rooms.keys)
    }

    // MARK: Key packages

    /// Whether the relay has said since the connection began that it has key packages of this device: others can bring it into rooms.
    public var hasKeyPackagesAtRelay: Bool { (stockLeft ?? 0) > 0 }

    /// Makes more key packages, where the relay has few (H23).
    ///
    /// - Returns: whether some were made.
    private mutating func refill(left: Int, _ draft: inout StepDraft) -> Bool {
        stockLeft = max(0, left)
        guard left <= KeyPackageStock.low else {
            offered = nil
            return false
        }
        return refill(&draft)
    }

    private mutating func refill(_ draft: inout StepDraft) -> Bool {
        guard let left = stockLeft, isConnected else { return false }
        if let offered, offered.left == left {
            // The relay did not take them; others would not be taken either, and these would be kept for nobody.
            stockLeft = nil
            _ = draft.ask(.keyPackages(offered.keyPackages), for: .keyPackages)
            return false
        }
        guard
            let made = try? keyPackages.refill(
                left: left,
                of: device,
                at: draft.moment.wallSeconds,
                keeping: keyPackagesNamedByWaiting,
                randomness
            )
        else { return false }
        stockLeft = nil
        offered = (left, made)
        _ = draft.ask(.keyPackages(made), for: .keyPackages)
        return true
    }

    /// Wants a step when the private part of a key package is to be forgotten.
    private func wakeToForget(_ draft: inout StepDraft) {
        guard let end = keyPackages.firstEnd else { return }
        let now = draft.moment.wallSeconds
        draft.wake(at: draft.now + min(end - min(end, now), KeyPackageStock.longestKept) * 1000)
    }

    /// What Welcomes name that wait to be opened.
    private var keyPackagesNamedByWaiting: Set<KeyPackageRef> {
        rooms.values.reduce(into: []) { named, room in
            guard let waiting = room.waitingWelcome else { return }
            named.formUnion(RoomCore.keyPackages(namedBy: waiting))
        }
    }

    // MARK: Rooms

    private mutating func take(_ welcome: ArrivedWelcome, _ draft: inout StepDraft) {
        guard (1...LogPage.highestNumber).contains(welcome.number) else { return }
        // The mailbox may be read twice: what waits already is no other one.
        guard rooms[welcome.room]?.waitingWelcome != welcome else { return }
        var core =
            rooms[welcome.room]
            ?? RoomCore(
                welcome.room,
                .requested,
                generation: welcome.generation,
                history: RunningHistory(joinedAt: welcome.number)
            )
        core.take(welcome, &keyPackages, &draft)
        rooms[welcome.room] = core
        stockLeft = stockLeft.map { max(0, $0 - 1) }
        _ = refill(&draft)
    }

    private mutating func seat(_ room: RoomID, _ generation: UInt64, _ draft: inout StepDraft) {
        let known = rooms[room]
        if var core = known, core.standing == .removed || core.isLeftBehind, core.group != nil,
            core.group?.ending == nil
        {
            core.beServedAgain()
            rooms[room] = core
            draft.tell(room, .invited)
            return
        }
        guard known?.group == nil || known?.group?.ending != nil, !(known?.isOutside ?? false) else { return }
        // Who is coming in already has it: a leaf that another device has is not a seat. Who wants out was asked before.
        guard known?.trouble == nil, known?.joining == nil, !(known?.wantsOut ?? false) else { return }
        var core = known ?? RoomCore(room, .seated, generation: generation, history: RunningHistory(joinedAt: 0))
        core.standing = .seated
        rooms[room] = core
        draft.tell(room, .invited)
    }

    private mutating func create(
        _ room: RoomID,
        _ info: RoomInfo,
        _ policy: RoomPolicyBits,
        _ draft: inout StepDraft
    ) {
        guard rooms[room] == nil else { return }
        rooms[room] = try? RoomCore.making(room, info, policy, draft)
    }

    /// Makes the room that goes on from one of the first kind, unless this account goes on with that in another room
    /// already: the room and what it goes on from are stored as one.
    private mutating func goOn(with older: OlderRoom, as room: RoomID, _ draft: StepDraft) {
        let isGoneOn = rooms.values.contains { $0.goesOn(with: older.end) }
        guard rooms[room] == nil, !isGoneOn else { return }
        rooms[room] = try? RoomCore.making(room, after: older, draft)
    }

    /// Forgets a room that the account is not in any more.
    private mutating func forget(_ room: RoomID, asStored stored: RoomCore?, _ draft: inout StepDraft) {
        guard let core = rooms[room], core.standing == .left || core.standing == .removed else { return }
        rooms[room] = nil
        lastUsed.removeAll { $0 == room }
        draft.changes.removeAll { $0.room == room }
        draft.changes.append(.forget(stored ?? core))
    }

    /// Declines what a stranger offers, without a word.
    private mutating func decline(_ room: RoomID, _ id: MessageID, _ draft: inout StepDraft) {
        guard var core = rooms[room], core.standing == .seated || core.isInvitedToSeat, core.joining == nil else {
            take(.leave, id, in: room, &draft)
            return
        }
        core.leaveAtOnce(id, &draft)
        rooms[room] = core
    }

    private mutating func take(_ wish: Wish, _ id: MessageID, in room: RoomID, _ draft: inout StepDraft) {
        guard var core = rooms[room] else {
            draft.tell(room, .wishFailed(id, code: "no-such-room"))
            return
        }
        switch (core.standing, wish) {
        case (.left, _), (.removed, _):
            draft.tell(room, .wishFailed(id, code: "no-member"))
            return
        case _ where !core.hasRoom(for: wish, id: id):
            draft.tell(room, .wishFailed(id, code: RoomCore.tooManyWaiting))
            return
        case (.requested, .leave) where core.joining == nil, (.beginning, .leave) where core.live.acting == nil,
            (_, .leave) where core.trouble?.cause == .ruleBroken:
            core.leaveAtOnce(id, &draft)
        case (_, .accept):
            core.accept(&keyPackages, &draft)
            core.wish(wish, id: id, draft)
        default: core.wish(wish, id: id, draft)
        }
        rooms[room] = core
    }
}

extension Happening {
    /// Whether it is of no room more than of others.
    fileprivate var isOfAllRooms: Bool {
        switch self {
        case .connected, .disconnected, .tick, .device, .list, .closing, .pin: true
        case .reply, .live, .welcome, .seat, .noMember, .stock, .create, .createAfter, .wish, .decline,
            .groupInfoWanted, .kept, .lost, .said, .drop, .forget:
            false
        }
    }
}
