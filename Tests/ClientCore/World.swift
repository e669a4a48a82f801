import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

/// People, their clients, and a relay, in a time of their own: what the simulation grows from.
struct World {
    /// A person's client, and what it has shown.
    struct Player {
        var core: StoredCore<MemoryStore, EffectList>
        var isOnline = false
        var wakeAt: UInt64?
        var notices: [Notice] = []
        /// So many answers to what is sent do not come, though it is done.
        var losesAnswers = 0
        /// How far the relay has told of rooms by itself.
        var told: [RoomID: UInt64] = [:]

        func room(_ id: RoomID = Cast.room) -> RoomCore? { core.core.rooms[id] }
    }

    var relay = ModelRelay()
    var players: [UInt8: Player] = [:]
    /// Milliseconds.
    var now: UInt64 = 1_000_000
    private var wishes: UInt8 = 0

    private var moment: Moment { Moment(steady: now, wall: 1_700_000_000_000 + now) }

    /// These people, online, with key packages.
    init(_ people: [UInt8]) {
        for person in people {
            players[person] = player(person, MemoryStore(), seed: person)
            connect(person)
        }
    }

    private func player(_ person: UInt8, _ store: MemoryStore, seed: UInt8) -> Player {
        let stored = (try? store.stored()) ?? StoredClient()
        let core = ClientCore(Cast.device(person), stored: stored, randomness: SeededSource.source(seed))
        return Player(core: StoredCore(core, store: store, delivery: EffectList()))
    }

    // MARK: What people do

    mutating func connect(_ person: UInt8) {
        players[person]?.isOnline = true
        take(person, [.connected, .stock(left: relay.left(of: Cast.account(person)))])
    }

    mutating func disconnect(_ person: UInt8) {
        players[person]?.isOnline = false
        _ = players[person]?.core.delivery.takeAll()
        take(person, [.disconnected])
    }

    /// The program ends, and begins from what a store has: its own, unless another one is given.
    mutating func restart(_ person: UInt8, from store: MemoryStore? = nil, seed: UInt8) {
        guard let old = players[person] else { return }
        players[person] = player(person, store ?? old.core.store, seed: seed)
        connect(person)
    }

    /// A room with an owner and others, who have accepted.
    mutating func makeRoom(_ owner: UInt8, _ others: [UInt8]) throws {
        take(owner, [.create(Cast.room, try RoomInfo(name: "garden"), [.membersInvite])])
        settle()
        for other in others {
            wish(owner, .invite(Cast.account(other), Cast.roomIdentity(other)))
            settle()
            wish(other, .accept)
            settle()
        }
    }

    @discardableResult
    mutating func wish(_ person: UInt8, _ wish: Wish) -> MessageID {
        wishes += 1
        let id = Cast.message(wishes)
        take(person, [.wish(Cast.room, wish, id: id)])
        return id
    }

    @discardableResult
    mutating func say(_ person: UInt8, _ text: String) throws -> MessageID {
        wish(person, .say(try TextContent(text).part, inReplyTo: nil, blobs: []))
    }

    mutating func take(_ person: UInt8, _ happenings: [Happening]) {
        let moment = moment
        do {
            try players[person]?.core.take(happenings, at: moment)
        } catch {
            Issue.record("a step was not stored: \(error)")
        }
    }

    // MARK: Time

    /// Goes on until nothing is left to do for so many milliseconds.
    mutating func settle(for span: UInt64 = 120_000) {
        let end = now + span
        var rounds = 0
        while true {
            while pump() {
                rounds += 1
                guard rounds < 5000 else {
                    Issue.record("it does not come to rest")
                    return
                }
            }
            let wakes = players.values.filter(\.isOnline).compactMap(\.wakeAt)
            guard let next = wakes.min(), next <= end else { break }
            now = max(now, next)
            for person in players.keys.sorted() {
                guard let wakeAt = players[person]?.wakeAt, wakeAt <= now, players[person]?.isOnline ?? false else {
                    continue
                }
                players[person]?.wakeAt = nil
                take(person, [.tick])
            }
        }
        now = end
    }

    /// Does what clients ask for, and brings what the relay has for them.
    ///
    /// - Returns: whether there was anything.
    private mutating func pump() -> Bool {
        var hasWorked = false
        for person in players.keys.sorted() where players[person]?.isOnline ?? false {
            for effect in players[person]?.core.delivery.takeAll() ?? [] {
                hasWorked = true
                perform(effect, of: person)
            }
            let account = Cast.account(person)
            for welcome in relay.collectMail(of: account) {
                hasWorked = true
                take(person, [.welcome(welcome)])
            }
            for room in relay.collectSeats(of: account) {
                hasWorked = true
                take(person, [.seat(room, generation: 0)])
            }
            hasWorked = tellOfNew(person) || hasWorked
        }
        return hasWorked
    }

    private mutating func perform(_ effect: Effect, of person: UInt8) {
        switch effect {
        case .request(let id, let request):
            var reply = relay.answer(request, from: Cast.device(person))
            if case .send = request, let losses = players[person]?.losesAnswers, losses > 0 {
                players[person]?.losesAnswers = losses - 1
                reply = .unreachable
            }
            take(person, [.reply(id, reply)])
        case .tell(_, let notice): players[person]?.notices.append(notice)
        case .wake(let at):
            let earlier = players[person]?.wakeAt
            players[person]?.wakeAt = min(earlier ?? at, at)
        case .readKept(let room, let number):
            let kept = players[person]?.core.store.kept(of: room, after: number) ?? []
            take(person, [.kept(room, kept)])
        case .readSaid(let room, let numbers):
            let said = players[person]?.core.store.entries(of: room, in: numbers) ?? []
            take(person, [.said(room, said)])
        case .readLost(let room, let numbers, let second):
            let words = players[person]?.core.store.lostWords(of: room, in: numbers, keptAt: second)
            take(person, [.lost(room, words)])
        case .show: break
        }
    }

    private mutating func tellOfNew(_ person: UInt8) -> Bool {
        guard let room = players[person]?.room(), relay.last(of: room.room) > players[person]?.told[room.room] ?? 0
        else { return false }
        let after = room.history.number
        let page = relay.page(room.room, after: after, for: Cast.account(person))
        players[person]?.told[room.room] = page.last
        take(person, [.live(page)])
        return true
    }

    // MARK: What can be seen

    /// The texts that a person's room shows, in its order.
    func texts(_ person: UInt8) -> [String] {
        entries(person).compactMap { (entry) -> String? in
            guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes),
                case .text(let text) = content.kind
            else { return nil }
            return text.text
        }
    }

    func entries(_ person: UInt8) -> [ShownEntry] { players[person]?.core.store.shown(in: Cast.room) ?? [] }

    func notices(_ person: UInt8) -> [Notice] { players[person]?.notices ?? [] }

    /// The codes of what could not be read.
    func unreadable(_ person: UInt8) -> [String] {
        entries(person).compactMap { (entry) -> String? in
            switch entry.kind {
            case .unreadable(let cause), .gap(_, let cause): cause.code
            case .content, .members, .settings, .cameBack, .leaving, .renewed, .newKeys: nil
            }
        }
    }

    /// That these people are in one epoch, with nothing left to do.
    func expectOneEpoch(_ people: [UInt8], _ location: SourceLocation = #_sourceLocation) {
        let authenticators = Set(people.map { players[$0]?.room()?.epochAuthenticator ?? [$0] })
        #expect(authenticators.count == 1, sourceLocation: location)
        for person in people {
            #expect(players[person]?.room()?.intents.isEmpty ?? false, sourceLocation: location)
            #expect(players[person]?.room()?.trouble == nil, sourceLocation: location)
        }
    }

    /// How often a person was told that a wish is so.
    func times(_ person: UInt8, isDone id: MessageID) -> Int {
        notices(person).count { if case .wishIsDone(id, _) = $0 { true } else { false } }
    }
}
