import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// Rooms that are MLS groups, key packages and claims. What a worker finds out is made up here: a store looks into none of it.
extension StoreConformanceTests {
    private static let groupID: [UInt8] = [7, 7]

    /// What a key for joining from outside is known by.
    private static func key(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: Limits.digest) }

    private func create(
        _ name: String,
        _ room: RoomID,
        by person: ScriptPerson,
        with accounts: [AccountID] = [],
        asking policy: RequestPolicy = .open,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let group = CheckedGroup(
            generation: 1,
            groupID: Self.groupID,
            treeHash: [1],
            groupInfo: [2, 2],
            externalPub: Self.key(0),
            snapshot: [3, 3, 3],
            accounts: [person.account] + accounts
        )
        return ScriptStep(name, CreateGroup(id: room, sender: person.sender, group: group, policy: policy), refusal)
    }

    private func request(
        _ content: GroupSendRequest.Content,
        epoch: UInt64,
        id: MessageID = .random(),
        showing links: [ShownLink] = []
    ) -> GroupSendRequest {
        GroupSendRequest(id: id, generation: 1, epoch: epoch, seen: 0, content: content, links: links)
    }

    private func say(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        epoch: UInt64,
        id: MessageID = .random(),
        text: String = "text",
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let request = request(.application(Array(text.utf8)), epoch: epoch, id: id)
        return ScriptStep(name, SendToGroup(request, .application, to: room, by: person.sender), refusal)
    }

    private func leave(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        epoch: UInt64,
        after handshake: UInt64,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let request = request(.proposal([9]), epoch: epoch)
        return ScriptStep(name, SendToGroup(request, .leaving(after: handshake), to: room, by: person.sender), refusal)
    }

    private func quiet(
        _ name: String,
        _ room: RoomID,
        epoch: UInt64,
        handshake: UInt64,
        by person: ScriptPerson
    ) -> ScriptStep {
        let snapshot = QuietSnapshot(
            generation: 1,
            epoch: epoch,
            handshake: handshake,
            account: person.account,
            bytes: [7, 7]
        )
        return ScriptStep(name, PutSnapshot(room: room, snapshot: snapshot))
    }

    private func commit(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        epoch: UInt64,
        after handshake: UInt64,
        adding added: [ScriptPerson] = [],
        removing removed: [ScriptPerson] = [],
        snapshot: [UInt8]? = nil,
        showing links: [ShownLink] = [],
        asking policy: RequestPolicy = .open,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let checked = CheckedCommit(
            handshake: handshake,
            treeHash: [UInt8(epoch)],
            groupInfo: [UInt8](repeating: 4, count: 10 + Int(epoch)),
            externalPub: Self.key(UInt8(epoch) + 1),
            added: added.map(\.account),
            removed: removed.map(\.account),
            welcomes: added.map { CheckedCommit.Welcome(address: $0.address, message: [5]) },
            snapshot: snapshot
        )
        let request = request(.commit([8], groupInfo: [1], welcome: []), epoch: epoch, showing: links)
        let operation = SendToGroup(request, .commit(checked), to: room, by: person.sender, requests: policy)
        return ScriptStep(name, operation, refusal)
    }

    @Test("groups: one order, one epoch at a time, and who leaves is named by the next commit")
    func groups() throws {
        let people = try ["alice", "bobby", "carol"].map { try ScriptPerson($0) }
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let (room, other, old) = (RoomID.random(), RoomID.random(), RoomID.random())
        let (id, second) = (MessageID.random(), MessageID.random())
        let steps = [
            create("with nobody", room, by: alice, with: [.random()], .unknownAccount),
            create("with a stranger", room, by: alice, with: [bob.account], asking: .linkOnly, .linkRequired),
            create("room", room, by: alice), create("again", room, by: alice),
            create("taken", room, by: bob, .roomTaken),
            ScriptStep("a room with keys", ScriptGroup.roomOfBefore(old, of: alice.account)),
            create("taken by a room with keys", old, by: alice, .roomTaken),
            say("not to a room with keys", alice, old, epoch: 0, .badRequest),
            say("nowhere", alice, .random(), epoch: 0, .unknownRoom),
            say("by nobody", bob, room, epoch: 0, .notAMember),
            say("first", alice, room, epoch: 0, id: id), say("repeated", alice, room, epoch: 0, id: id),
            say("reused", alice, room, epoch: 0, id: id, text: "other", .idReused),
            say("too early", alice, room, epoch: 1, .staleEpoch),
            commit("an Add by link", alice, room, epoch: 0, after: 0, adding: [bob], asking: .linkOnly, .linkRequired),
            commit("an Add", alice, room, epoch: 0, after: 0, adding: [bob]),
            say("too late", alice, room, epoch: 0, .staleEpoch),
            say("what was sent has its number", alice, room, epoch: 0, id: id),
            commit("one epoch, one commit", bob, room, epoch: 0, after: 0, .staleEpoch),
            say("bob", bob, room, epoch: 1, id: second),
            leave("bob leaves", bob, room, epoch: 1, after: 2),
            leave("and not twice", bob, room, epoch: 1, after: 2, .unavailable),
            say("nobody says anything", alice, room, epoch: 1, .proposalsDue),
            commit("held against what was before", alice, room, epoch: 1, after: 2, .proposalsDue),
            commit("bob is out", alice, room, epoch: 1, after: 4, removing: [bob], snapshot: [6, 6]),
            say("bob says nothing more", bob, room, epoch: 2, .notAMember),
            say("but has said", bob, room, epoch: 1, id: second),
            say("a full room", alice, room, epoch: 2, text: String(repeating: "x", count: 2_000), .quotaExceeded),
            commit("a path", alice, room, epoch: 2, after: 5),
            quiet("a snapshot of an epoch that is over", room, epoch: 2, handshake: 5, by: alice),
            quiet("a snapshot where nothing happens", room, epoch: 3, handshake: 6, by: alice),
            quiet("and not twice", room, epoch: 3, handshake: 6, by: alice),
            quiet("nowhere", .random(), epoch: 0, handshake: 1, by: alice),
            ScriptStep("what snapshots hold", FindHeldGroups(cutoff: .max, start: [])),
            create("another", other, by: bob, with: [carol.account]),
            leave("carol leaves", carol, other, epoch: 0, after: 0),
            leave("and bob", bob, other, epoch: 0, after: 1),
            say("it is closed", bob, other, epoch: 0, .notAMember),
            ScriptStep("retention", DropMessages(cutoff: .max, start: [])),
            ScriptStep("alice goes", OperatorRemove(handle: alice.handle) { "gone:\($0.text)" }),
        ]
        try hold(steps, people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) })
    }

    @Test("a link brings its account into a group once, and only while it is open")
    func linksToGroups() throws {
        let people = try ["alice", "bobby", "carol"].map { try ScriptPerson($0) }
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let secrets = (0..<2).map { Data(repeating: UInt8($0), count: Limits.linkSecret) }
        let room = RoomID.random()
        func put(_ name: String, _ secret: Data, of person: ScriptPerson) throws -> ScriptStep {
            let id = try #require(LinkID(secret: secret))
            return ScriptStep(name, PutLink(link: id, sender: person.sender, expires: Self.now / 1000 + 50))
        }
        func bring(
            _ name: String,
            _ person: ScriptPerson,
            epoch: UInt64 = 0,
            showing links: [ShownLink] = [],
            asking policy: RequestPolicy = .linkOnly,
            _ refusal: APIErrorCode? = .linkRequired
        ) -> ScriptStep {
            commit(
                name,
                alice,
                room,
                epoch: epoch,
                after: epoch,
                adding: [person],
                showing: links,
                asking: policy,
                refusal
            )
        }
        let bobs = [ShownLink(account: bob.account, secret: secrets[0])]
        let carols = [ShownLink(account: carol.account, secret: secrets[1])]
        let mixed = [ShownLink(account: bob.account, secret: secrets[1])]
        let early = [
            create("room", room, by: alice), try put("bob's", secrets[0], of: bob),
            try put("carol's", secrets[1], of: carol),
        ]
        let steps = [
            bring("none is shown", bob), bring("not bob's", bob, showing: mixed),
            bring("another's is passed over", bob, showing: carols),
            bring("bob's own", bob, showing: bobs, nil),
            commit("bob is out", alice, room, epoch: 1, after: 1, removing: [bob]),
            bring("used", bob, epoch: 2, showing: bobs),
            bring("and refused where none is asked for", bob, epoch: 2, showing: bobs, asking: .open),
        ]
        let late = [
            bring("ran out", carol, epoch: 2, showing: carols), bring("a request", carol, epoch: 2, asking: .open, nil),
        ]
        let setUp = people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) }
        try hold([(Self.now, setUp + early), (Self.now + 1_000, steps), (Self.now + 60_000, late)])
    }

    @Test("GroupInfos: one of each account beside the committer's, four that differ, and who stands behind each")
    func groupInfos() throws {
        let people = try ["alice", "bobby", "carol", "david", "erica"].map { try ScriptPerson($0) }
        let (alice, bob, carol, david) = (people[0], people[1], people[2], people[3])
        let (room, closed, keys) = (RoomID.random(), RoomID.random(), RoomID.random())
        func put(
            _ name: String,
            _ person: ScriptPerson,
            _ number: UInt8,
            epoch: UInt64 = 0,
            of room: RoomID,
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let info = CheckedGroupInfo(
                generation: 1,
                epoch: epoch,
                externalPub: Self.key(number),
                bytes: [UInt8](repeating: number, count: 40)
            )
            return ScriptStep(name, PutGroupInfo(room: room, sender: person.sender, info: info), refusal)
        }
        let others = people.dropFirst().map(\.account)
        let steps = [
            create("room", room, by: alice, with: others), create("closed", closed, by: bob, with: [carol.account]),
            ScriptStep("a room with keys", ScriptGroup.roomOfBefore(keys, of: alice.account)),
            put("nowhere", bob, 1, of: .random(), .unknownRoom), put("no group", alice, 1, of: keys, .badRequest),
            put("by nobody", david, 1, of: closed, .notAMember),
            put("too late", bob, 1, epoch: 1, of: room, .staleEpoch),
            put("the committer's", bob, 0, of: room), put("another", bob, 1, of: room), put("again", bob, 1, of: room),
            put("one of each", bob, 2, of: room, .quotaExceeded), put("behind another's", bob, 0, of: room),
            put("the committer has one more", alice, 2, of: room), put("carol's", carol, 3, of: room),
            put("four are enough", david, 4, of: room, .quotaExceeded), put("but answered", david, 3, of: room),
            commit("an epoch without any", alice, room, epoch: 0, after: 0),
            put("anew", bob, 5, epoch: 1, of: room), put("in the closed one", carol, 6, of: closed),
            leave("carol leaves", carol, closed, epoch: 0, after: 0), leave("and bob", bob, closed, epoch: 0, after: 1),
            ScriptStep("bob goes", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
            commit("and what he gave", alice, room, epoch: 1, after: 1),
        ]
        try hold(steps, people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) })
    }

    @Test("generations: the next group takes the place of the one before, and a retry gets its number")
    func generations() throws {
        let people = try ["alice", "bobby", "carol"].map { try ScriptPerson($0) }
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let (room, id) = (RoomID.random(), MessageID.random())
        func renew(
            _ name: String,
            _ person: ScriptPerson,
            from generation: UInt32 = 1,
            epoch: UInt64,
            id: MessageID = .random(),
            of room: RoomID,
            info: [UInt8] = [9, 9, 9],
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let request = GenerationRequest(id: id, generation: generation, epoch: epoch, seen: 0, groupInfo: info)
            let group = CheckedGroup(
                generation: generation + 1,
                groupID: [8, UInt8(generation)],
                treeHash: [8],
                groupInfo: info,
                externalPub: Self.key(9),
                snapshot: [6, 6, 6, 6],
                accounts: [alice.account, bob.account]
            )
            return ScriptStep(name, RenewRoom(request, group, of: room, by: person.sender), refusal)
        }
        let old = request(.application([1]), epoch: 1)
        let new = GroupSendRequest(id: .random(), generation: 2, epoch: 0, seen: 0, content: .application([1]))
        let steps = [
            create("room", room, by: alice, with: [bob.account]),
            commit("a path", alice, room, epoch: 0, after: 0), leave("bob leaves", bob, room, epoch: 1, after: 1),
            renew("nowhere", alice, epoch: 1, of: .random(), .unknownRoom),
            renew("by nobody", carol, epoch: 1, of: room, .notAMember),
            renew("too late", alice, epoch: 0, of: room, .staleEpoch),
            renew("of what is to come", alice, from: 2, epoch: 1, of: room, .staleEpoch),
            renew("while he does", alice, epoch: 1, id: id, of: room),
            renew("repeated", alice, epoch: 1, id: id, of: room),
            renew("reused", alice, epoch: 1, id: id, of: room, info: [1], .idReused),
            renew("ended once", bob, epoch: 1, of: room, .staleEpoch),
            ScriptStep("too late", SendToGroup(old, .application, to: room, by: bob.sender), .staleEpoch),
            ScriptStep("goes on", SendToGroup(new, .application, to: room, by: bob.sender)),
            renew("in a full room", alice, from: 2, epoch: 0, of: room, info: [UInt8](repeating: 1, count: 2_000)),
            ScriptStep("retention", DropMessages(cutoff: .max, start: [])),
        ]
        try hold(steps, people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) })
    }

    private func keyPackage(
        _ number: UInt8,
        of person: ScriptPerson,
        isLastResort: Bool = false,
        under key: Curve25519.Signing.PublicKey? = nil
    ) -> CheckedKeyPackage {
        CheckedKeyPackage(
            entry: KeyPackageEntry(
                reference: [number],
                isLastResort: isLastResort,
                notAfter: Self.now / 1000 + Int64(number),
                bytes: 3
            ),
            signatureKey: [UInt8]((key ?? person.key).rawRepresentation),
            bytes: [number, number, number]
        )
    }

    @Test("key packages: each is claimed once, and the one of last resort by whoever comes")
    func keyPackages() throws {
        let people = try ["alice", "bobby", "carol"].map { try ScriptPerson($0) }
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let (first, second) = (ClaimID.random(), ClaimID.random())
        func put(
            _ name: String,
            _ keyPackages: [CheckedKeyPackage],
            replaces: Bool = false,
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let operation = PutKeyPackages(address: bob.address, replaces: replaces, keyPackages: keyPackages)
            return ScriptStep(name, operation, refusal)
        }
        func claim(
            _ name: String,
            _ handle: Handle,
            by person: ScriptPerson,
            id: ClaimID = .random(),
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let request = ClaimRequest(id: id, room: Self.anyRoom)
            return ScriptStep(name, ClaimKeyPackages(sender: person.sender, handle: handle, request: request), refusal)
        }
        let known = StandingRequest(account: alice.account, standing: .known)
        let good = [100, 101].map { keyPackage($0, of: bob) } + [keyPackage(120, of: bob, isLastResort: true)]
        let two = [keyPackage(121, of: bob, isLastResort: true), keyPackage(122, of: bob, isLastResort: true)]
        let steps = [
            claim("nobody", try Handle("nobody"), by: alice, .unknownAccount),
            claim("who has none", bob.handle, by: alice, .noKeyPackage),
            put("another key", [keyPackage(1, of: carol)], .badIdentity),
            put("two of last resort", two, .quotaExceeded),
            put("three", good), put("three again", good),
            claim("a stranger gets the last resort", bob.handle, by: alice, id: first),
            claim("the same", bob.handle, by: alice, id: first),
            claim("of another account", carol.handle, by: alice, id: first, .idReused),
            ScriptStep("known", PutStanding(id: .random(), sender: bob.sender, request: known)),
            claim("the first", bob.handle, by: alice, id: second), claim("the second", bob.handle, by: alice),
            claim("the last resort", bob.handle, by: alice), claim("again", bob.handle, by: alice),
            claim("one's own", bob.handle, by: bob),
            put("a new one of last resort", [keyPackage(123, of: bob, isLastResort: true)]),
            put("in the place of all", [keyPackage(124, of: bob)], replaces: true),
        ]
        let many = (0..<5).map { claim("claim \($0)", bob.handle, by: alice, $0 == 0 ? nil : .noKeyPackage) }
        let late = [
            put("their time is over", good),
            ScriptStep("forgotten", DropClaims(cutoff: Self.now + 2_000)),
            claim("none is left", bob.handle, by: alice, id: first, .noKeyPackage),
            ScriptStep("bob goes", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
        ]
        let setUp = people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) }
        try hold([(Self.now, setUp), (Self.now + 1_000, steps + many), (Self.now + 400_000, late)])
    }

    private static let anyRoom = RoomID.random()

    @Test("claims: so many of one account for another in an hour")
    func claimRate() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bobby"))
        let last = keyPackage(120, of: bob, isLastResort: true)
        let put = PutKeyPackages(address: bob.address, replaces: false, keyPackages: [last])
        let claims = (0...ClaimKeyPackages.hourly).map { count in
            ScriptStep(
                "claim \(count)",
                ClaimKeyPackages(
                    sender: alice.sender,
                    handle: bob.handle,
                    request: ClaimRequest(id: .random(), room: Self.anyRoom)
                ),
                count < ClaimKeyPackages.hourly ? nil : .rateLimited
            )
        }
        try hold([ScriptStep("put", put)] + claims, registered(alice, bob))
    }

    @Test("key packages: those of keys that are gone are claimed by nobody, and those of new keys are taken (H17)")
    func withdrawnKeyPackages() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bobby"))
        let key = DeviceKeys().signing.publicKey
        let renewal = DeviceRenewal(
            address: bob.address,
            signatureKey: key,
            before: bob.registration.bundle,
            bundle: [7]
        )
        let known = StandingRequest(account: alice.account, standing: .known)
        func put(_ name: String, _ keyPackages: [CheckedKeyPackage], _ refusal: APIErrorCode? = nil) -> ScriptStep {
            let operation = PutKeyPackages(address: bob.address, replaces: false, keyPackages: keyPackages)
            return ScriptStep(name, operation, refusal)
        }
        func claim(_ name: String, _ refusal: APIErrorCode? = nil) -> ScriptStep {
            let request = ClaimRequest(id: .random(), room: Self.anyRoom)
            let operation = ClaimKeyPackages(sender: alice.sender, handle: bob.handle, request: request)
            return ScriptStep(name, operation, refusal)
        }
        let old = [100, 101].map { keyPackage($0, of: bob) } + [keyPackage(120, of: bob, isLastResort: true)]
        let new = [keyPackage(102, of: bob, under: key), keyPackage(121, of: bob, isLastResort: true, under: key)]
        let steps = [
            ScriptStep("known", PutStanding(id: .random(), sender: bob.sender, request: known)),
            put("three", old), claim("the first"), ScriptStep("new keys", RenewDevice(renewal: renewal)),
            claim("none is left", .noKeyPackage), put("of the old keys", old, .badIdentity),
            put("of the new keys", new), claim("the first of them"), claim("the last resort"),
        ]
        try hold(steps, registered(alice, bob))
    }
}

extension StoreConformanceTests {
    @Test("a commit without change of members writes five rows")
    func commitRows() throws {
        let (alice, room) = (try ScriptPerson("alice"), RoomID.random())
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let lane = try SQLiteLane(path: path, options: SQLiteStore(path: path, synchronous: .off).options)
        let transactor = try Transactor(lane, quota: quota)
        defer { lane.close() }
        func written() throws -> Int {
            try lane.database.first("SELECT total_changes()") { row throws(StorageError) in try row.int(0) } ?? 0
        }
        let steps = [
            ScriptStep("register", alice.register(at: Self.now / 1000)), create("room", room, by: alice),
            commit("first", alice, room, epoch: 0, after: 0),
        ]
        for step in steps { _ = try transactor.batch([step], at: Self.now, prefetches: false) }
        let before = try written()
        let second = commit("second", alice, room, epoch: 1, after: 1)
        let outcomes = try transactor.batch([second], at: Self.now, prefetches: false)
        // The message, its room, the group, the GroupInfo, and what the sender has caused.
        #expect(outcomes.map(\.code) == ["ok"])
        #expect(try written() - before == 5)
    }
}
