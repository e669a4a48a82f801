import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// What somebody who sees everything knows, to hold against it what clients and relay do.
struct Oracle {
    /// Something that a person wished.
    struct Wished {
        let person: UInt8
        let room: RoomID
        let wish: Wish
        var isOver = false
        /// Whether the profile was put back to a copy that does not have it: the person knows that.
        var isLost = false
    }

    /// An application message that the relay took.
    struct Taken {
        let room: RoomID
        let number: UInt64
        let person: UInt8
        /// Who had a leaf in its epoch.
        let readers: Set<AccountID>
        /// When, in milliseconds since the world began.
        var at: UInt64 = 0
        /// How often the relay had been put back.
        var incarnation: UInt8 = 0
        /// Whether its number was given to another message later, since nobody who was there knew of it when the relay was put back.
        var isGivenAgain = false
    }

    /// Where a client has been.
    struct Place {
        var number: UInt64 = 0
        var counter: UInt64 = 0
    }

    /// The first things that did not hold.
    private(set) var failures: [Failure] = []
    var wishes: [MessageID: Wished] = [:]
    var taken: [MessageID: Taken] = [:]
    var places: [UInt8: [RoomID: Place]] = [:]
    /// How often a client's profile was put back: it may meet again what it had come back from.
    private(set) var timesBack: [UInt8: Int] = [:]
    /// The messages that clients have asked the relay to take.
    var sent: Set<MessageID> = []
    /// The number in each room up to which an account's device cannot have everything: it had no leaf then, or its disk nothing
    /// of the room.
    private var gone: [RoomID: [AccountID: UInt64]] = [:]
    /// The number in each room up to which a client had read it when it was first seen to be in it, since it was in it last.
    private var cameIn: [RoomID: [UInt8: UInt64]] = [:]
    /// Until when the last device is at a stand.
    var stoppedUntil: UInt64 = 0
    /// Whether the relay was put back.
    var relayWentBack = false
    /// Whether people could be away while it took back what it lacked: a number that they alone had shown may mean another message
    /// since.
    var someWereAway = false

    /// An account has no leaf at a number, or its device lost what it had up to there.
    mutating func misses(_ account: AccountID, upTo number: UInt64, in room: RoomID) {
        gone[room, default: [:]][account] = max(number, gone[room]?[account] ?? 0)
    }

    /// Whether an account's device has to have a message that the account could read.
    func hasToHave(_ taken: Taken, _ account: AccountID) -> Bool {
        taken.readers.contains(account) && taken.number > gone[taken.room]?[account] ?? 0
    }

    /// Whether a client was in a room when a message was sent there, and has had what it takes to read it since: it was neither out
    /// nor put back. After a relay was put back, nobody can say: it may have lost a Welcome, or how somebody came in.
    func wasIn(_ client: SimulatedClient, at taken: Taken) -> Bool {
        guard !relayWentBack, let number = cameIn[taken.room]?[client.person] else { return false }
        return number > gone[taken.room]?[client.account] ?? 0 && taken.number > number
    }

    /// A client in whose room there is nothing to be mended is in it.
    private mutating func comesIn(_ client: SimulatedClient, _ room: RoomID, _ core: RoomCore) {
        guard core.standing == .member || core.standing == .invited, core.trouble == nil,
            core.group != nil || core.isAsleep
        else { return }
        let wentAt = gone[room]?[client.account] ?? 0
        if let number = cameIn[room]?[client.person], number > wentAt { return }
        cameIn[room, default: [:]][client.person] = core.history.number
    }

    /// A client's profile was put back: where it was means nothing any more.
    mutating func goesBack(_ person: UInt8) {
        timesBack[person, default: 0] += 1
        places[person] = nil
        for room in cameIn.keys { cameIn[room]?[person] = nil }
    }

    mutating func fail(_ check: Check, at moment: UInt64, _ person: UInt8, _ room: RoomID?, _ words: String) {
        guard failures.count < 20 else { return }
        failures.append(
            Failure(check: check, at: moment, person: person, room: room?.bytes[1] ?? .max, words: words)
        )
    }

    // MARK: Wishes

    /// A program begins from a disk. What came of a wish when the last program ended was told to nobody: the person looks at what
    /// is stored. What was said is told of by its own entry, or is among what could not be said; anything else is told of by the
    /// room as it is.
    mutating func begins(_ person: UInt8, from disk: MemoryStore) {
        for (id, wished) in wishes where wished.person == person && !wished.isOver {
            guard let core = disk.rooms[wished.room], !core.intents.contains(where: { $0.id == id }) else { continue }
            let isUnsaid = core.unsaid.contains { $0.id == id }
            guard !wished.wish.isSaid || isUnsaid || Oracle.isStored(wished, as: id, on: disk) else { continue }
            wishes[id]?.isOver = true
        }
    }

    /// A client says that a wish cannot be. What was typed is kept until the person drops it, and here nobody does (Q8).
    mutating func givesUp(_ id: MessageID, _ client: SimulatedClient, at moment: UInt64) {
        guard let wished = wishes[id] else { return }
        wishes[id]?.isOver = true
        let unsaid = client.room(wished.room)?.unsaid ?? []
        guard wished.wish.isSaid, !unsaid.contains(where: { $0.id == id }) else { return }
        fail(.q8TextIsKept, at: moment, wished.person, wished.room, "gives up what was typed, and does not keep it")
    }

    /// Whether a disk has what was said, as its own person's.
    private static func isStored(_ wished: Wished, as id: MessageID, on disk: MemoryStore) -> Bool {
        (disk.entries[wished.room] ?? [:]).values.joined().contains { entry in
            guard case .content = entry.kind else { return false }
            return entry.id == id && entry.account == Cast.account(wished.person)
        }
    }

    // MARK: I1, I2, I4, I11

    /// A client shows an entry.
    mutating func shows(_ entry: ShownEntry, in room: RoomID, _ person: UInt8, at moment: UInt64) {
        switch entry.kind {
        case .content(let bytes): showsContent(bytes, entry, in: room, person, at: moment)
        case .unreadable(let cause), .gap(_, let cause): meets(cause, in: room, person, at: moment)
        case .members, .settings, .cameBack, .renewed, .newKeys, .leaving: break
        }
    }

    private mutating func showsContent(
        _ bytes: [UInt8],
        _ entry: ShownEntry,
        in room: RoomID,
        _ person: UInt8,
        at moment: UInt64
    ) {
        guard let id = entry.id, let account = entry.account, let content = try? MimiContent(encoded: bytes) else {
            fail(.i1AuthorsAreTrue, at: moment, person, room, "shows what is no content")
            return
        }
        if let wished = wishes[id] {
            if Cast.account(wished.person) != account || wished.wish.part.map({ $0 != content.part }) ?? true {
                fail(.i1AuthorsAreTrue, at: moment, person, room, "shows \(entry.number), which was not said so")
            }
        } else if case .roomInfo = content.kind {
            // A room's first name is said by the client itself.
        } else if relayWentBack, isSaidAgain(content, by: account, in: room) {
            // What a relay lost that was put back is said again as new.
        } else {
            fail(.i1AuthorsAreTrue, at: moment, person, room, "shows \(entry.number), which nobody said")
        }
        guard let taken = taken[id] else { return }
        if !taken.readers.contains(Cast.account(person)) {
            fail(.i2OnlyMembersRead, at: moment, person, room, "reads \(entry.number) without a leaf")
        }
    }

    /// Whether an account has said the same before, under another name.
    private func isSaidAgain(_ content: MimiContent, by account: AccountID, in room: RoomID) -> Bool {
        wishes.values.contains { wished in
            guard wished.room == room, Cast.account(wished.person) == account,
                case .say(let part, inReplyTo: let id, blobs: _) = wished.wish
            else { return false }
            return part == content.part && id == content.inReplyTo
        }
    }

    /// A client meets a cause why something cannot be read.
    mutating func meets(_ cause: Cause, in room: RoomID, _ person: UInt8, at moment: UInt64) {
        // What was sent before a relay was put back is sent again: its number is lost, and it was read.
        if case .repeated = cause, !relayWentBack {
            fail(.i4KeysAreUsedOnce, at: moment, person, room, "was sent something under a key that was used before")
            return
        }
        let isHonest: Bool
        switch cause {
        case .behindRetention, .ownStateOlder, .welcomeDoesNotOpen, .beforeComingIn: isHonest = true
        case .lostAtRestore, .commitNotProcessable, .differentHistory, .repeated: isHonest = relayWentBack
        case .forged, .mislabelled, .newer, .senderNoMember, .ruleBroken, .recordsDamaged,
            .dueProposalRefused:
            isHonest = false
        }
        guard !isHonest else { return }
        fail(.i11HonestCauses, at: moment, person, room, "meets \(cause.code), where nobody lies")
    }

    /// The relay has given a number to a message.
    ///
    /// - Parameter isUnread: whether nobody has read as far.
    mutating func isTaken(_ id: MessageID, as next: Taken, isUnread: Bool) {
        if someWereAway || relayWentBack && isUnread {
            for (other, before) in taken
            where before.number == next.number && before.room == next.room && other != id
                && before.incarnation < next.incarnation
            {
                taken[other]?.isGivenAgain = true
            }
        }
        taken[id] = next
    }

    // MARK: I3, I7, I8

    /// A client has made a step.
    mutating func isAt(_ client: SimulatedClient, at moment: UInt64) {
        for (room, core) in client.core.core.rooms {
            comesIn(client, room, core)
            let before = places[client.person]?[room] ?? Place()
            let place = Place(number: core.history.number, counter: core.counter)
            guard place.number >= before.number, place.counter >= before.counter else {
                let words = "was at \(before.number), and is at \(place.number)"
                fail(.i3NothingGoesBack, at: moment, client.person, room, words)
                continue
            }
            guard place.number > before.number || place.counter > before.counter else { continue }
            places[client.person, default: [:]][room] = place
        }
    }

    /// What is stored is what is in memory.
    mutating func compareWithDisk(_ client: SimulatedClient, at moment: UInt64) {
        let stored = client.core.store.memory.rooms
        for (room, core) in client.core.core.rooms {
            guard let other = stored[room] else {
                fail(.i8DiskIsMemory, at: moment, client.person, room, "is not on the disk")
                continue
            }
            let isSameGroup =
                core.storedOutline == other.storedOutline
                && (core.isAsleep || core.epochAuthenticator == other.epochAuthenticator)
            let isSame =
                core.standing == other.standing && core.generation == other.generation
                && core.history.number == other.history.number && core.history.hash == other.history.hash
                && core.intents == other.intents && core.counter == other.counter && core.trouble == other.trouble
            if !isSame || !isSameGroup {
                fail(.i8DiskIsMemory, at: moment, client.person, room, "is another one on the disk")
            }
        }
    }

    // MARK: I6, I7, I9, I10

    /// A client asks the relay for something.
    mutating func asks(_ request: RoomRequest, _ client: SimulatedClient, at moment: UInt64) {
        switch request {
        case .send(let room, let message):
            guard let core = client.room(room) else { return }
            if let intent = core.intents.first(where: { $0.staged?.id == message.id }) {
                let stored = client.core.store.memory.rooms[room]?.intents.first { $0.id == intent.id }
                if stored?.staged != message {
                    fail(.i7StoredBeforeDone, at: moment, client.person, room, "sends what is not on its disk")
                }
            }
            guard sent.insert(message.id).inserted, message.kind == .application,
                let leaf = Oracle.revoked(in: core, client)
            else { return }
            fail(.i6NothingToRevoked, at: moment, client.person, room, "seals something for \(leaf), which is revoked")
        case .group(let room):
            guard let core = client.room(room), core.standing != .seated, !core.isLogRead else { return }
            fail(.i9RepairComesLast, at: moment, client.person, room, "comes back before it has read the log")
        case .page, .create, .claim, .keyPackages, .groupInfo, .refill: break
        }
    }

    /// A leaf of a room that is revoked by a list that the client knows.
    private static func revoked(in core: RoomCore, _ client: SimulatedClient) -> UInt8? {
        for leaf in core.members?.leaves.values.map({ $0 }) ?? [] {
            let person = Cast.person(leaf.account)
            // The keys' number is one below the number of the list that names them.
            guard let keys = client.heard[person] else { continue }
            if UInt64(keys) + 1 > leaf.since { return person }
        }
        return nil
    }

    /// A client says that it waits for a leaf to go.
    mutating func waitsForRevoked(_ client: SimulatedClient, in room: RoomID, at moment: UInt64) {
        guard let core = client.room(room), Oracle.revoked(in: core, client) == nil,
            !Oracle.isOwnLeafOld(core, client)
        else { return }
        fail(.i10WaitingIsRight, at: moment, client.person, room, "waits for a leaf that nothing revokes")
    }

    private static func isOwnLeafOld(_ core: RoomCore, _ client: SimulatedClient) -> Bool {
        core.members?.leaves(of: client.account).contains { $0.since < UInt64(client.keys) + 1 } ?? true
    }
}

extension Wish {
    /// What is said for it; `nil` where nothing is.
    var part: NestedPart? {
        switch self {
        case .say(let part, inReplyTo: _, blobs: _): part
        case .rename(let info): info.part
        case .accept, .leave, .invite, .remove, .role, .policy, .timer, .renewKeys, .renewRoom, .duty: nil
        }
    }

    /// What it is counted by.
    var name: String {
        switch self {
        case .say: "say"
        case .accept: "accept"
        case .leave: "leave"
        case .invite: "invite"
        case .remove: "remove"
        case .role: "role"
        case .policy: "policy"
        case .timer: "timer"
        case .rename: "rename"
        case .renewKeys: "renew-keys"
        case .renewRoom: "renew-room"
        case .duty(.removingLeavers): "removing-leavers"
        case .duty(.removingRevoked): "removing-revoked"
        case .duty(.removingClosed): "removing-closed"
        case .duty(.newLeaf): "new-leaf"
        case .duty(.path): "path"
        case .duty(.tellingTitle): "telling-title"
        }
    }
}
