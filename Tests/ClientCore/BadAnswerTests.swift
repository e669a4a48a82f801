import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore
@testable import MildamMLS

@Suite("A client's rooms: answers and messages that are not what they have to be")
struct BadAnswerTests {
    /// A room of the first person's, and what the relay has in the mailboxes of those who were invited while they were away.
    private func invited(
        _ people: [UInt8],
        among all: [UInt8]
    ) throws -> (world: World, mail: [UInt8: ArrivedWelcome]) {
        var world = World(all)
        try world.makeRoom(1, [])
        var mail: [UInt8: ArrivedWelcome] = [:]
        for person in people {
            world.disconnect(person)
            world.wish(1, .invite(Cast.account(person), Cast.roomIdentity(person)))
            world.settle()
            mail[person] = world.relay.collectMail(of: Cast.account(person)).first
            world.connect(person)
        }
        return (world, mail)
    }

    /// A tree of so many leaves, of which the last one is a real one.
    private func tree(of leaves: Int, in world: World) throws -> [UInt8] {
        let leaf = try #require(world.players[1]?.room()?.group?.publicGroup.tree.nodes[0])
        return RatchetTree.Nodes([Node?](repeating: nil, count: 2 * leaves - 2) + [leaf]).wireBytes
    }

    @Test("A Welcome with a tree of 65,536 leaves, or a longer one than any: the device comes in from outside")
    func largeTrees() throws {
        let (begun, mail) = try invited([2], among: [1, 2])
        let welcome = try #require(mail[2])
        let longest = [UInt8](repeating: 0, count: RoomLimits.tree + 1)
        for bytes in [try tree(of: 1 << 16, in: begun), longest] {
            var world = begun
            world.take(2, [.welcome(welcome.with(tree: bytes))])
            #expect(world.players[2]?.room()?.trouble?.cause == .welcomeDoesNotOpen)
            #expect(world.players[2]?.room()?.group == nil)
            world.wish(2, .accept)
            world.settle()
            try world.say(2, "in")
            world.settle()
            #expect(world.texts(1) == ["in"])
            world.expectOneEpoch([1, 2])
        }
    }

    @Test("A group with a tree of 65,536 leaves, or of another room, is not come into")
    func otherGroups() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let other = Cast.room(numbered: 1)
        world.take(1, [.create(other, try RoomInfo(name: "shed"), [.membersInvite])])
        world.settle()
        world.relay.spoiled[Cast.account(2)] = world.relay.last(of: Cast.room) + 1
        world.wish(1, .renewKeys)
        world.settle(for: 0)
        guard case .group(let foreign) = world.relay.answer(.group(other), from: Cast.device(1)),
            case .group(let present) = world.relay.answer(.group(Cast.room), from: Cast.device(1))
        else {
            Issue.record("there are not two rooms")
            return
        }
        let swollen = GroupReply(
            generation: present.generation,
            epoch: present.epoch,
            groupInfos: present.groupInfos,
            tree: try tree(of: 1 << 16, in: world),
            proposals: [],
            last: present.last
        )
        let core = try #require(world.players[2]?.core.core)
        let room = try #require(core.rooms[Cast.room])
        try #require(room.trouble != nil)
        for (reply, isGood) in [(foreign, false), (swollen, false), (present, true)] {
            var (room, draft) = (room, core.draft(at: Moment(steady: 2_000_000, wall: 1_700_000_000_000)))
            room.comeIn(reply, &draft)
            #expect((room.joining != nil) == isGood)
        }
        world.settle()
        #expect(world.notices(2).contains(.troubleIsOver))
        world.expectOneEpoch([1, 2])
    }

    @Test("A Welcome for somebody else leads nowhere, and takes nothing from who it is for")
    func welcomeOfAnother() throws {
        let (begun, mail) = try invited([3], among: [1, 2, 3])
        var world = begun
        let welcome = try #require(mail[3])
        world.take(2, [.welcome(welcome)])
        world.wish(2, .accept)
        world.settle()
        #expect(world.players[2]?.room()?.group == nil)
        #expect(!(world.players[1]?.room()?.members?.contains(Cast.account(2)) ?? true))
        world.take(3, [.welcome(welcome)])
        world.wish(3, .accept)
        world.settle()
        try world.say(3, "mine")
        world.settle()
        #expect(world.texts(1) == ["mine"])
        #expect(world.texts(2).isEmpty)
        world.expectOneEpoch([1, 3])
    }

    @Test("However many key packages a relay says that it has, a Welcome is taken in", arguments: [Int.min, -1, .max])
    func impossibleStock(_ left: Int) throws {
        let (begun, mail) = try invited([2], among: [1, 2])
        var world = begun
        world.disconnect(2)
        world.take(2, [.stock(left: left)])
        world.take(2, [.welcome(try #require(mail[2]))])
        world.connect(2)
        world.wish(2, .accept)
        world.settle()
        world.take(2, [.stock(left: left)])
        world.settle()
        world.expectOneEpoch([1, 2])
    }

    @Test("A commit that is none is told, and changes nothing")
    func commitsThatAreNone() throws {
        var begun = World([1, 2])
        try begun.makeRoom(1, [2])
        var member = try #require(begun.players[1]?.room()?.group)
        let others: [[UInt8]] = [
            [], [1, 2, 3], [UInt8](repeating: 0, count: 1 << 16), try member.protect([1]).wireBytes,
            MLSMessage.groupInfo(try member.groupInfo(sendsTree: false)).wireBytes,
            try member.proposeSelfRemove(authenticatedData: LeavingMark.bytes).message.wireBytes,
        ]
        for (place, body) in others.enumerated() {
            var world = begun
            let message = NumberedMessage(
                number: world.read(2) + 1,
                generation: 0,
                account: Cast.account(1),
                device: Cast.device(1).device,
                id: Cast.message(201),
                kind: .commit,
                stored: 1,
                body: body
            )
            let page = LogPage(
                room: Cast.room,
                messages: [message],
                first: 1,
                last: message.number,
                epoch: world.epoch(2),
                incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
            )
            let epoch = world.epoch(2)
            world.take(2, [.live(page)])
            #expect(world.unreadable(2).count == 1, "\(place)")
            #expect(world.epoch(2) == epoch && world.players[2]?.room()?.standing == .member, "\(place)")
        }
    }

    @Test("A commit against the rules that the relay lets pass: nobody follows into it, or comes into it from outside")
    func lawlessCommit() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        var unruly = try #require(world.players[2]?.room()?.group)
        unruly.environment.policy = Lawless()
        var room = try #require(RoomExtension(in: unruly.publicGroup.context.extensions))
        room.roles[Cast.account(2)] = .owner
        var options = CommitOptions()
        options.framing = .publicMessage
        options.authenticatedData = CommitReason().wireBytes
        options.proposals = [.groupContextExtensions(Extensions([RoomExtension.requirements, room.mls]))]
        let message = NumberedMessage(
            number: world.read(1) + 1,
            generation: 0,
            account: Cast.account(2),
            device: Cast.device(2).device,
            id: Cast.message(201),
            kind: .commit,
            stored: 1,
            body: try unruly.commit(options).commit.wireBytes
        )
        let page = LogPage(
            room: Cast.room,
            messages: [message],
            first: 1,
            last: message.number,
            epoch: world.epoch(1) + 1,
            incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
        )
        let epoch = world.epoch(1)
        world.take(1, [.live(page)])
        #expect(world.unreadable(1) == ["rule-broken"] && world.players[1]?.room()?.trouble?.cause == .ruleBroken)
        world.now += 600_000
        world.take(1, [.tick])
        #expect(!world.asked(1).contains { if case .group = $0.request { true } else { false } })
        #expect(world.epoch(1) == epoch && world.players[1]?.room()?.members?.room.roles[Cast.account(2)] == nil)

        var leaving = world
        leaving.wish(1, .leave)
        #expect(leaving.players[1]?.room()?.standing == .left && leaving.players[1]?.room()?.isLeftBehind == false)

        // The relay has taken it back.
        world.take(1, [.live(world.page(last: world.read(1), epoch: epoch))])
        #expect(world.players[1]?.room()?.trouble == nil)
    }

    @Test("What a member says in malformed CBOR is one entry each, and the room goes on")
    func malformedContent() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        var member = try #require(world.players[1]?.room()?.group)
        let whole = try MimiContent(
            TextContent("a text").part,
            salt: Cast.wish(1),
            head: ContentHead(written: 1, seen: nil, counter: 50)
        ).encoded
        var contents = stride(from: 0, to: whole.count, by: 5).map { Array(whole.prefix($0)) }
        for place in stride(from: 0, to: whole.count, by: 7) {
            var flipped = whole
            flipped[place] ^= 1 << (place % 8)
            contents.append(flipped)
        }
        contents.append([UInt8](repeating: 0x81, count: 200_000))
        contents.append([0x9B] + [UInt8](repeating: 0xFF, count: 8))
        let first = world.relay.last(of: Cast.room) + 1
        for (place, content) in contents.enumerated() {
            let id = Cast.wish(UInt32(1000 + place))
            let message = OutgoingMessage(
                id: id,
                kind: .application,
                generation: 0,
                epoch: world.epoch(1),
                body: try member.protect(content, authenticatedData: MessageName(id).wireBytes).wireBytes
            )
            guard case .accepted = world.relay.answer(.send(Cast.room, message), from: Cast.device(1)) else {
                Issue.record("the relay does not take it")
                return
            }
        }
        world.settle()
        let numbers = Set(world.entries(2).map(\.number))
        #expect(Set(first..<first + UInt64(contents.count)).isSubset(of: numbers))
        try world.say(3, "on")
        world.settle()
        #expect(world.texts(2).last == "on")
        world.expectOneEpoch([2, 3])
    }

    /// A key package of an account's, whose record is signed by a person's identity.
    private func keyPackage(of account: UInt8, signedBy person: UInt8) throws -> [UInt8] {
        let device = Cast.device(account)
        let own = device.credential.record.claimed
        let record = DeviceRecord(
            relay: own.relay,
            account: own.account,
            device: own.device,
            signatureKey: own.signatureKey,
            agreementKey: own.agreementKey,
            notAfter: own.notAfter,
            succession: IdentitySuccession(since: 1, nextIdentity: Cast.nextIdentity(person))
        )
        let claimed = OwnDevice(
            credential: DeviceCredential(
                identityKey: Cast.identity(person).publicKey,
                record: Signed(record, by: Cast.identity(person))
            ),
            signing: device.signing,
            list: device.list
        )
        let bundle = try claimed.keyPackage(
            lifetime: KeyPackageStock.lifetime(at: 1_700_000_000),
            isLastResort: false,
            SeededSource.source(210)
        )
        return MLSMessage.keyPackage(bundle.keyPackage).wireBytes
    }

    @Test("Key packages of somebody else, under another identity, twice, or none at all: they bring in nobody else")
    func claimsOfAnother() throws {
        var begun = World([1, 2, 3])
        try begun.makeRoom(1, [])
        let group = try #require(begun.players[1]?.room()?.group)
        begun.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        let asked = begun.asked(1)
        let claim = try #require(asked.first { if case .claim = $0.request { true } else { false } })
        guard case .claimed(let answer) = begun.relay.answer(claim.request, from: Cast.device(1)),
            case .claimed(let another) = begun.relay.answer(
                .claim(Cast.message(211), Cast.account(3), for: Cast.room),
                from: Cast.device(1)
            )
        else {
            Issue.record("the relay has no key packages")
            return
        }
        try #require(answer.keyPackages.count == 1 && another.keyPackages.count == 1)
        let rubbish: [[UInt8]] = [
            [], [1, 2, 3], [UInt8](repeating: 0, count: 1 << 16), Array(answer.keyPackages[0].dropLast()),
            MLSMessage.groupInfo(try group.groupInfo(sendsTree: false)).wireBytes,
        ]
        let answers: [(keyPackages: [[UInt8]], bringsIn: Bool)] = [
            (another.keyPackages, false), ([try keyPackage(of: 3, signedBy: 2)], false),
            ([try keyPackage(of: 2, signedBy: 4)], false), (rubbish, false),
            (answer.keyPackages + answer.keyPackages, true), (rubbish + another.keyPackages + answer.keyPackages, true),
        ]
        for (place, (keyPackages, bringsIn)) in answers.enumerated() {
            var world = begun
            let reply = ClaimReply(keyPackages: keyPackages, list: Cast.device(2).list)
            world.take(1, [.reply(claim.id, .claimed(reply))])
            world.settle()
            let members = try #require(world.players[1]?.room()?.members)
            let identity = members.room.seats[Cast.account(2)]?.identity
            #expect(identity == (bringsIn ? nil : Cast.roomIdentity(2)), "\(place)")
            #expect(members.leaves.values.map(\.account).contains(Cast.account(2)) == bringsIn, "\(place)")
            world.wish(2, .accept)
            world.settle()
            try world.say(2, "in")
            world.settle()
            #expect(world.texts(1) == ["in"], "\(place)")
            #expect(world.players[1]?.room()?.members?.accounts == [Cast.account(1), Cast.account(2)], "\(place)")
            #expect(world.players[3]?.room() == nil, "\(place)")
            world.expectOneEpoch([1, 2])
        }
    }
}

extension ArrivedWelcome {
    /// The same with another tree.
    fileprivate func with(tree: [UInt8]) -> ArrivedWelcome {
        ArrivedWelcome(
            room: room,
            generation: generation,
            number: number,
            welcome: welcome,
            tree: tree,
            isOfKnownSender: isOfKnownSender
        )
    }
}

/// A member's client that keeps no rules.
private struct Lawless: GroupPolicy {
    let maximumLifetime: UInt64 = .max

    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }

    func accepts(_ review: CommitReview) -> Bool { true }
}
