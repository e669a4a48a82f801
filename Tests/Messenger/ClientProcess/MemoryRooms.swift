import Foundation
import MildamClientAPI
import MildamClientStore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules

@testable import MildamClientCore
@testable import MildamMessenger

/// Rooms in memory: what is wished for is so at once, or waits while the relay is away.
actor MemoryRooms: RoomService {
    private struct Room {
        var standing: RoomOverview.Standing
        var info: RoomInfo?
        var room: RoomExtension
        var epoch: UInt64 = 1
        var entries: [ShownEntry] = []
        var wishes: [Intent] = []
        var continued: ContinuedRoom?
    }

    static let own = AccountID.random()
    static let ownHandle = "alice"

    private var kept: [RoomID: Room] = [:]
    private var outcomes: [MessageID: WishProgress] = [:]
    private var listeners: [AsyncStream<RoomChange>.Continuation] = []
    private var isAway = false
    /// The most entries before a number that somebody asked for at once.
    private(set) var mostAskedBefore = 0
    /// How often accounts were looked up, many or few at once.
    private(set) var lookups = 0
    /// Whom the relay knows.
    let others: [Handle: AccountID]

    init(others: [Handle: AccountID] = [:]) { self.others = others }

    // MARK: What tests do

    /// The relay goes, or comes back, and what waited is so.
    func set(away: Bool) {
        isAway = away
        tell(.connection(connection))
        guard !away else { return }
        for (id, room) in kept {
            for intent in room.wishes { fulfil(intent.wish, in: id, as: intent.id) }
        }
    }

    /// Somebody else says something.
    func hear(_ text: String, from account: AccountID, in id: RoomID) throws {
        try hear(try TextContent(text).part, from: account, in: id)
    }

    /// The same, whatever it is.
    func hear(_ part: NestedPart, from account: AccountID, in id: RoomID) throws {
        try say(part, as: .random(), by: account, in: id)
    }

    /// Somebody wants this account in a room.
    func invite(into id: RoomID, called name: String) throws {
        kept[id] = Room(standing: .invited, info: try RoomInfo(name: name), room: RoomExtension(room: id))
        tell(.notice(id, .invited))
    }

    /// Somebody wants this account in a room that goes on from one of the first kind.
    func invite(into id: RoomID, called name: String, goingOnFrom end: ContinuedRoom, by owner: AccountID) throws {
        let seats = [owner, MemoryRooms.own].map { MemoryRooms.seat(of: $0) }
        kept[id] = Room(
            standing: .invited,
            info: try RoomInfo(name: name),
            room: RoomExtension(room: id, previous: end.previous, roles: [owner: .owner], seats: seats),
            continued: end
        )
        tell(.notice(id, .invited))
    }

    // MARK: The service

    func make(_ room: RoomID, _ info: RoomInfo, _ policy: RoomPolicyBits) async throws(RoomFault) {
        guard kept[room] == nil else { return }
        let context = RoomExtension(
            room: room,
            roles: [MemoryRooms.own: .owner],
            seats: [MemoryRooms.seat(of: MemoryRooms.own)],
            policy: policy
        )
        kept[room] = Room(standing: .member, info: info, room: context)
    }

    func goOn(with older: OlderRoom, as room: RoomID) async throws(RoomFault) -> RoomID {
        let known = kept.first { $0.value.standing == .member && $0.value.continued == older.end }
        if let known { return known.key }
        try await make(room, older.info, older.policy)
        kept[room]?.continued = older.end
        for member in older.members {
            kept[room]?.room.seats[member.account] = Seat(account: member.account, identity: member.identity)
        }
        return room
    }

    func find(_ handle: Handle) async throws(RoomFault) -> FoundAccount {
        lookups += 1
        return try known(handle)
    }

    private func known(_ handle: Handle) throws(RoomFault) -> FoundAccount {
        guard let account = others[handle] else { throw RoomFault("unknown-account", ["handle": handle.text]) }
        let identity = MemoryRooms.seat(of: account).identity
        return FoundAccount(
            handle: handle,
            account: account,
            identity: identity,
            fingerprint: Fingerprint(account: account, key: identity.key)
        )
    }

    func find(all accounts: [SoughtAccount]) async throws(RoomFault) -> [Result<FoundAccount, RoomFault>] {
        lookups += 1
        var found: [Result<FoundAccount, RoomFault>] = []
        for account in accounts {
            do throws(RoomFault) {
                found.append(.success(try known(account.handle)))
            } catch {
                found.append(.failure(error))
            }
        }
        return found
    }

    func wish(_ wish: Wish, in room: RoomID, as id: MessageID) async throws(RoomFault) {
        guard kept[room] != nil else { throw .noSuchRoom(room) }
        guard outcomes[id] == nil else { return }
        kept[room]?.wishes.append(Intent(wish, id: id, wished: 1))
        outcomes[id] = .waiting(code: nil)
        if !isAway { fulfil(wish, in: room, as: id) }
    }

    func progress(of wish: MessageID) async -> WishProgress { outcomes[wish] ?? .unknown }

    func outcome(of wish: MessageID) async -> WishProgress {
        while case .waiting? = outcomes[wish], !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
        return outcomes[wish] ?? .unknown
    }

    func rooms() async -> [RoomOverview] {
        kept.sorted { $0.key < $1.key }.map { id, room in
            RoomOverview(
                room: id,
                standing: room.standing,
                info: room.info,
                generation: room.room.generation,
                epoch: room.epoch,
                epochAuthenticator: [UInt8](repeating: UInt8(truncatingIfNeeded: room.epoch), count: 32),
                members: try? RoomMembers(leaves: [:], extensions: Extensions([room.room.mls])),
                last: room.entries.last?.number ?? 0,
                isLogRead: true,
                wishes: room.wishes,
                trouble: nil,
                continued: room.continued
            )
        }
    }

    func entries(of room: RoomID, _ window: EntryWindow) async throws(RoomFault) -> [ShownEntry] {
        guard let entries = kept[room]?.entries else { throw .noSuchRoom(room) }
        if case .before(_, let count) = window { mostAskedBefore = max(mostAskedBefore, count) }
        return switch window {
        case .last(let count): Array(entries.suffix(count))
        case .before(let number, let count): Array(entries.filter { $0.number < number }.suffix(count))
        case .from(let number, let count): Array(entries.filter { $0.number >= number }.prefix(count))
        }
    }

    func roomsWithOldKeys(within seconds: Int) async throws(RoomFault) -> Set<RoomID> { [] }

    func refresh() async throws(RoomFault) {
        if isAway { throw RoomFault("unreachable") }
    }

    func forget(_ room: RoomID) async throws(RoomFault) {
        guard let standing = kept[room]?.standing else { throw .noSuchRoom(room) }
        guard standing == .left || standing == .removed else {
            throw RoomFault("wrong-standing", ["standing": standing.rawValue])
        }
        kept[room] = nil
    }

    func changes() async -> AsyncStream<RoomChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: RoomChange.self)
        listeners.append(continuation)
        return stream
    }

    var connection: RelayConnection {
        isAway ? .waiting(RoomFault("unreachable"), milliseconds: 1000) : .connected
    }

    func reach() async -> RelayConnection { connection }

    func catchUp(_ room: RoomID) async throws(RoomFault) -> RoomFault? {
        guard kept[room] != nil else { throw .noSuchRoom(room) }
        return isAway ? RoomFault("unreachable") : nil
    }

    func drop(_ message: MessageID, in room: RoomID) async throws(RoomFault) {
        guard let waiting = kept[room]?.wishes else { throw .noSuchRoom(room) }
        guard waiting.contains(where: { $0.id == message }) else {
            throw RoomFault(ClientError.Code.notWaiting.rawValue, ["message": "\(message)"])
        }
        kept[room]?.wishes.removeAll { $0.id == message }
        outcomes[message] = .failed(code: "dropped")
        tell(.notice(room, .wishFailed(message, code: "dropped")))
    }

    // MARK: What comes of a wish

    private func fulfil(_ wish: Wish, in id: RoomID, as message: MessageID) {
        kept[id]?.wishes.removeAll { $0.id == message }
        var failure: String?
        switch wish {
        case .say(let part, _, _):
            if (try? say(part, as: message, by: MemoryRooms.own, in: id)) == nil { failure = "content" }
        case .accept: kept[id]?.standing = .member
        case .leave: kept[id]?.standing = .left
        case .invite(let account, let identity):
            kept[id]?.room.seats[account] = Seat(account: account, identity: identity)
        case .remove(let account):
            kept[id]?.room.seats[account] = nil
            kept[id]?.room.roles[account] = nil
        case .role(let account, let role): kept[id]?.room.roles[account] = role
        case .policy(let policy): kept[id]?.room.policy = policy
        case .rename(let info): kept[id]?.info = info
        case .renewRoom(let generation):
            kept[id]?.room = RoomExtension(room: id, generation: generation + 1, roles: [MemoryRooms.own: .owner])
        case .timer, .renewKeys, .duty: failure = "not-here"
        }
        kept[id]?.epoch += 1
        outcomes[message] = failure.map { WishProgress.failed(code: $0) } ?? .done(number: nil)
        tell(.notice(id, .wishIsDone(message, number: nil)))
    }

    private func say(_ part: NestedPart, as message: MessageID, by account: AccountID, in id: RoomID) throws {
        guard let room = kept[id] else { throw RoomFault.noSuchRoom(id) }
        let number = (room.entries.last?.number ?? 0) + 1
        let content = try MimiContent(
            part,
            salt: message,
            head: ContentHead(written: 1, seen: nil, counter: number)
        )
        let numbered = NumberedMessage(
            number: number,
            generation: 0,
            account: account,
            device: .random(),
            id: message,
            kind: .application,
            stored: 1_700_000_000_000 + number,
            body: []
        )
        let entry = ShownEntry(.content(content.encoded), for: numbered)
        kept[id]?.entries.append(entry)
        tell(.entry(id, entry))
    }

    private func tell(_ change: RoomChange) {
        for listener in listeners { listener.yield(change) }
    }

    /// The identity key of an account, the same each time.
    static func identityKey(of account: AccountID) -> Curve25519.Signing.PublicKey {
        let seed = account.bytes + account.bytes
        return ((try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)) ?? .init()).publicKey
    }

    static func seat(of account: AccountID) -> Seat {
        let key = identityKey(of: account)
        let next = [UInt8](repeating: 9, count: IdentitySuccession.commitmentSize)
        return Seat(account: account, identity: RoomIdentity(key: key, rotation: 0, nextIdentity: next))
    }
}

/// Whose profile it is, in memory.
actor MemoryBook: ProfileBook {
    private var read: [RoomID: UInt64] = [:]
    private var isBusy = false
    private var isLoggedIn = true
    private var texts: [UnsaidText] = []
    /// The links that were made and not taken back, by their numbers.
    private var links: [Int64: InviteLink] = [:]
    private var handles: [AccountID: Handle]
    private let older: [OlderSample]
    private let seen: [AccountID: Curve25519.Signing.PublicKey]

    init(
        others: [Handle: AccountID] = [:],
        older: [OlderSample] = [],
        seen: [AccountID: Curve25519.Signing.PublicKey] = [:]
    ) {
        self.older = older
        self.seen = seen
        handles = Dictionary(others.map { ($0.value, $0.key) }) { _, last in last }
    }

    /// An account is heard to be called so.
    func name(_ account: AccountID, _ handle: Handle) { handles[account] = handle }

    /// Somebody works with the profile, or has done.
    func set(busy: Bool) { isBusy = busy }

    /// The session ends, or is opened.
    func set(loggedIn: Bool) { isLoggedIn = loggedIn }

    func owner() async -> ProfileOwner? {
        while isBusy { try? await Task.sleep(for: .milliseconds(20)) }
        guard let handle = try? Handle(MemoryRooms.ownHandle) else { return nil }
        return ProfileOwner(account: MemoryRooms.own, handle: handle, relay: "https://relay", isLoggedIn: isLoggedIn)
    }

    func handle(of account: AccountID) async -> Handle? { handles[account] }

    func pins() async -> [AccountID: Curve25519.Signing.PublicKey] { seen }

    func findings() async -> [Finding] {
        [Finding(step: .disk, verdict: .ok, found: "room enough", remedy: nil, fault: nil)]
    }

    func readThrough(_ room: RoomID) async -> UInt64 { read[room] ?? 0 }

    func markRead(_ room: RoomID, through number: UInt64) async throws(RoomFault) {
        read[room] = max(number, read[room] ?? 0)
    }

    func olderRooms() async throws(RoomFault) -> [OlderLedger] { older.map(\.ledger).sorted { $0.room < $1.room } }

    func olderRows(of room: OlderLedger, in numbers: ClosedRange<UInt64>) async throws(RoomFault) -> [OlderRow] {
        let sample = older.first { $0.ledger.room == room.room }
        return sample?.rows.filter { numbers.contains($0.number) } ?? []
    }

    func forget(_ room: RoomID) async throws(RoomFault) { read[room] = nil }

    func unsaid() async -> [UnsaidText] { texts }

    /// What an earlier version kept.
    func put(unsaid text: UnsaidText) { texts.append(text) }

    func drop(unsaid id: MessageID) async throws(RoomFault) -> Bool {
        let count = texts.count
        texts.removeAll { $0.id == id }
        return texts.count < count
    }

    // MARK: Contacts

    func addContact(_ handle: Handle) async throws(RoomFault) -> MetContact {
        MetContact(contact: try summary(handle, .seen), refused: [])
    }

    func addContact(by link: InviteLink) async throws(RoomFault) -> MetContact {
        guard links.values.contains(where: { $0.text == link.text }) else {
            throw RoomFault("link-differs", ["handle": link.handle.text])
        }
        return try await addContact(link.handle)
    }

    func accept(_ handle: Handle, fingerprint: String) async throws(RoomFault) -> ContactSummary {
        let contact = try summary(handle, .compared)
        guard contact.fingerprint == fingerprint else {
            throw RoomFault("other-fingerprint", ["handle": handle.text, "shown": contact.fingerprint])
        }
        return contact
    }

    func makeLink(days: Int64) async throws(RoomFault) -> (link: InviteLink, number: Int64) {
        guard let (handle, account) = handles.first.map({ ($0.value, $0.key) }),
            let link = try? InviteLink(
                to: AccountRecord(
                    relay: .random(),
                    account: account,
                    handle: handle,
                    identityKey: MemoryRooms.identityKey(of: account)
                ),
                at: "https://relay",
                secret: SymmetricKey(size: .bits256),
                expires: days * 86_400
            )
        else { throw RoomFault("no-account") }
        let number = (links.keys.max() ?? 0) + 1
        links[number] = link
        return (link, number)
    }

    func revokeLink(_ number: Int64?) async throws(RoomFault) -> Int {
        let revoked = links.keys.filter { number == nil || $0 == number }
        if let number, revoked.isEmpty { throw RoomFault("unknown-link", ["number": "\(number)"]) }
        for number in revoked { links[number] = nil }
        return revoked.count
    }

    private func summary(_ handle: Handle, _ state: PinState) throws(RoomFault) -> ContactSummary {
        guard let account = handles.first(where: { $0.value == handle })?.key else {
            throw RoomFault("unknown-account", ["handle": handle.text])
        }
        let pin = AccountPin(
            handle: handle,
            account: account,
            identityKey: MemoryRooms.identityKey(of: account),
            listNumber: 1,
            listDigest: [UInt8](repeating: 4, count: 32)
        )
        return ContactSummary(pin.believed(state), isNew: true)
    }
}
