import MildamClientCore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// What steps ask for, until somebody does it.
package struct PendingEffects: CoreDelivery {
    private var effects: [Effect] = []

    /// Nothing is asked for.
    package init() {}

    /// Keeps it.
    package mutating func perform(_ effect: Effect) { effects.append(effect) }

    /// Everything that was asked for, which is nobody's any more.
    package mutating func takeAll() -> [Effect] {
        defer { effects = [] }
        return effects
    }
}

/// A store that keeps nothing: for a client whose disk is not what is measured.
package struct NoStore: CoreStore {
    /// Nothing.
    package init() {}

    /// Keeps nothing.
    package mutating func store(_ changes: [StoreChange]) {}

    /// Nothing is stored.
    package func stored() -> StoredClient { StoredClient() }

    /// No group is stored.
    package func group(of room: RoomID) -> Group? { nil }
}

/// A client's core over a store, in a time of its own, with a bare relay that answers at once.
package struct CoreClient<Store: CoreStore> {
    /// The core and its store.
    package private(set) var stored: StoredCore<Store, PendingEffects>
    private let device: OwnDevice
    /// Milliseconds.
    private var now: UInt64 = 1_000_000
    private var wakeAt: UInt64?

    /// Somebody's client, which is connected.
    ///
    /// - Parameter mostAwake: how many rooms have their groups in memory.
    package init(
        _ member: RoomMember,
        store: Store,
        mostAwake: Int = ClientCore.awakeRooms,
        _ relay: inout BareRelay
    ) throws {
        device = member.device
        let core = ClientCore(
            member.device,
            stored: try store.stored(),
            randomness: .system,
            mostAwake: mostAwake
        )
        stored = StoredCore(core, store: store, delivery: PendingEffects())
        try take([.connected, .stock(left: 0)])
        try settle(&relay)
    }

    /// The moment of the next step.
    package var moment: Moment { Moment(steady: now, wall: 1_700_000_000_000 + now) }

    /// A room, as the client has it.
    package func room(_ id: RoomID) -> RoomCore? { stored.core.rooms[id] }

    /// Makes a step.
    package mutating func take(_ happenings: [Happening]) throws { try stored.take(happenings, at: moment) }

    /// Has everything done that steps ask for, and goes on in time until something is so.
    package mutating func settle(_ relay: inout BareRelay, until isSo: (ClientCore) -> Bool = { _ in true }) throws {
        for _ in 0..<10_000 {
            let effects = stored.delivery.takeAll()
            for effect in effects { try perform(effect, &relay) }
            guard effects.isEmpty else { continue }
            if isSo(stored.core) { return }
            guard let next = wakeAt else { throw LoadError("a client waits for nothing") }
            now = max(now, next)
            wakeAt = nil
            try take([.tick])
        }
        throw LoadError("a client does not come to rest")
    }

    private mutating func perform(_ effect: Effect, _ relay: inout BareRelay) throws {
        switch effect {
        case .request(let id, let request):
            try take([.reply(id, try relay.answer(request, from: device))])
            if case .send(let room, _) = request { try hear(room, relay) }
        case .wake(let moment): wakeAt = min(wakeAt ?? moment, moment)
        case .readKept(let room, after: _): try take([.kept(room, [])])
        case .readSaid(let room, _): try take([.said(room, [])])
        case .readLost(let room, let numbers, keptAt: _):
            var words = LostWords()
            for range in numbers { words.end(range) }
            try take([.lost(room, words)])
        case .show, .tell: break
        }
    }

    /// Is told what the log of a room has besides, a page of it.
    package mutating func hear(_ room: RoomID, _ relay: BareRelay) throws {
        let number = self.room(room)?.history.number ?? 0
        guard relay.last(of: room) > number else { return }
        try take([.live(relay.page(room, after: number))])
    }

    /// Makes a room of its own.
    package mutating func make(_ room: RoomID, _ relay: inout BareRelay) throws {
        try take([.create(room, try RoomInfo(name: "garden"), [.membersInvite, .membersDescribe])])
        try settle(&relay) { core in
            core.rooms[room]?.standing == .member && core.rooms[room]?.intents.isEmpty ?? false
        }
    }

    /// Brings somebody into a room.
    package mutating func invite(_ member: RoomMember, to room: RoomID, _ relay: inout BareRelay) throws {
        let wish = Wish.invite(member.account, member.roomIdentity)
        try take([.wish(room, wish, id: .random())])
        try settle(&relay) { $0.rooms[room]?.intents.isEmpty ?? false }
    }

    /// Comes into the rooms that it was invited to.
    package mutating func accept(_ relay: inout BareRelay) throws {
        for welcome in relay.takeWelcomes(of: device.account) {
            try take([.welcome(welcome)])
            try settle(&relay)
            try take([.wish(welcome.room, .accept, id: .random())])
            try settle(&relay) { $0.rooms[welcome.room]?.standing == .member }
            try hear(welcome.room, relay)
            try settle(&relay)
        }
    }

    /// Says something of 1 KiB.
    package mutating func say(in room: RoomID, _ relay: inout BareRelay) throws {
        try take([.wish(room, Said.kilobyte(), id: .random())])
        try settle(&relay) { $0.rooms[room]?.intents.isEmpty ?? false }
    }
}

/// What is said where something is measured.
package enum Said {
    /// A text of 1 KiB.
    package static func kilobyte() throws -> Wish {
        let text = try TextContent(String(repeating: "x", count: 1024))
        return .say(text.part, inReplyTo: nil, blobs: [])
    }
}
