import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import Testing

@testable import MildamRelay

/// Who may reach whom, and what each sender has in a mailbox.
extension StoreConformanceTests {
    private func add(
        _ name: String,
        _ people: [ScriptPerson],
        to room: RoomID,
        by sender: ScriptPerson,
        welcome: Int = 3,
        asking policy: RequestPolicy = .open,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let commit = ScriptGroup.commit(
            to: room,
            by: sender.sender,
            adding: people.map(\.account),
            welcoming: people.map(\.address),
            welcome: welcome,
            asking: policy
        )
        return ScriptStep(name, commit, refusal)
    }

    @Test("standings: the last word counts, and there are so many")
    func standings() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (carol, dave) = (AccountID.random(), AccountID.random())
        let ids = (0..<4).map { _ in StandingID.random() }
        func put(
            _ name: String,
            _ id: Int,
            _ account: AccountID,
            _ standing: SenderStanding = .known,
            by person: ScriptPerson? = nil,
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let request = StandingRequest(account: account, standing: standing)
            let sender = (person ?? alice).sender
            return ScriptStep(name, PutStanding(id: ids[id], sender: sender, request: request), refusal)
        }
        func delete(_ name: String, _ id: Int) -> ScriptStep {
            ScriptStep(name, DeleteStanding(id: ids[id], sender: alice.sender))
        }
        let stranger = try ScriptPerson("stranger")
        let steps: [ScriptStep] = [
            put("of itself", 0, alice.account, .known, by: alice, .badRequest),
            put("by nobody", 0, bob.account, .known, by: stranger, .unauthorized),
            put("known", 0, bob.account), put("again", 0, bob.account),
            put("blocked under the same id", 0, bob.account, .blocked),
            put("under another id", 1, bob.account, .blocked),
            put("of another account", 1, carol),
            put("a second", 2, bob.account), put("a third", 3, dave, .known, by: alice, .quotaExceeded),
            put("in another's place", 2, dave), put("two become one", 1, dave),
            delete("none", 2), delete("one", 1), delete("again", 1),
            put("bob says something, too", 1, alice.account, .blocked, by: bob),
            put("last", 3, dave),
            ScriptStep("remove", OperatorRemove(handle: alice.handle) { "gone:\($0.text)" }),
            put("when it is gone", 0, bob.account, .known, by: alice, .unauthorized),
        ]
        try hold(steps, registered(alice, bob))
    }

    @Test("mailboxes: a part for known senders and one for strangers, and a share of both for each sender")
    func mailboxParts() throws {
        let people = try ["alice", "bobby", "carol", "dave"].map { try ScriptPerson($0) }
        let (alice, bob, carol, dave) = (people[0], people[1], people[2], people[3])
        let (r1, r2, r3) = (RoomID.random(), RoomID.random(), RoomID.random())
        let (c1, c2, c3) = (RoomID.random(), RoomID.random(), RoomID.random())
        let (d1, d2) = (RoomID.random(), RoomID.random())
        func commit(_ name: String, _ room: RoomID, welcoming welcomed: [ScriptPerson] = []) -> ScriptStep {
            let commit = ScriptGroup.commit(
                to: room,
                by: alice.sender,
                epoch: 1,
                after: 1,
                welcoming: welcomed.map(\.address)
            )
            return ScriptStep(name, commit)
        }
        func say(_ standing: SenderStanding, of person: ScriptPerson) -> ScriptStep {
            let request = StandingRequest(account: person.account, standing: standing)
            return ScriptStep("\(standing)", PutStanding(id: .random(), sender: bob.sender, request: request))
        }
        let steps: [ScriptStep] = [
            make(r1, by: alice), make(r2, by: alice), make(r3, by: alice), make(c1, by: carol), make(c2, by: carol),
            make(c3, by: carol), make(d1, by: dave), make(d2, by: dave),
            ScriptStep("not there", AcceptRoom(room: .random(), sender: bob.sender), .unknownRoom),
            ScriptStep("not a member", AcceptRoom(room: r1, sender: bob.sender), .notAMember),
            add("too long a request", [bob], to: r1, by: alice, welcome: 96, .quotaExceeded),
            add("the first request", [bob], to: r1, by: alice),
            ScriptStep("accept", AcceptRoom(room: r1, sender: bob.sender)),
            ScriptStep("accept again", AcceptRoom(room: r1, sender: bob.sender)),
            commit("the part for known senders", r1, welcoming: [bob]),
            add("the second request", [bob], to: r2, by: alice),
            add("no third one", [bob], to: r3, by: alice, .quotaExceeded),
            commit("nobody is kept from a commit that brings nothing", r2),
            add("carol's", [bob], to: c1, by: carol), add("alice's first gives way", [bob], to: d1, by: dave),
            ScriptStep("bob takes what is there", DropMailbox(address: bob.address, last: 3)),
            add("alice again", [bob], to: r3, by: alice),
            say(.blocked, of: carol), add("as ever", [bob], to: c2, by: carol),
            say(.known, of: dave), add("a known one", [bob], to: d2, by: dave),
            ScriptStep("beyond the last", DropMailbox(address: bob.address, last: 9), .badRequest),
            ScriptStep("bob goes", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
        ]
        try hold(steps, people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) })
    }

    @Test("mailboxes: a commit has items give way in so many full parts for strangers, and no more")
    func fullParts() throws {
        let people = try ["alice", "bobby", "carol", "dave"].map { try ScriptPerson($0) }
        let (alice, bob, carol, dave) = (people[0], people[1], people[2], people[3])
        let (room, other, third) = (RoomID.random(), RoomID.random(), RoomID.random())
        let rooms = (0..<3).map { _ in RoomID.random() }
        let another = ScriptGroup.commit(
            to: room,
            by: alice.sender,
            epoch: 1,
            after: 1,
            adding: [carol.account],
            welcoming: [carol.address]
        )
        let steps: [ScriptStep] = [
            make(room, by: alice), make(third, by: alice), make(other, by: dave),
            make(rooms[0], by: dave), make(rooms[1], by: dave), make(rooms[2], by: alice),
            add("dave's", [bob, carol], to: rooms[0], by: dave),
            add("dave's second", [bob, carol], to: rooms[1], by: dave),
            add("full by alice's", [bob, carol], to: rooms[2], by: alice),
            add("two are too many", [bob, carol], to: room, by: alice, .quotaExceeded),
            add("one", [bob], to: room, by: alice), ScriptStep("another", another),
            add("alice has her share", [bob], to: third, by: alice, .quotaExceeded),
            ScriptStep("bob takes what is there", DropMailbox(address: bob.address, last: 4)),
            add("one is full, and one is not", [bob, carol], to: other, by: dave),
        ]
        try hold(steps, people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) })
    }

    @Test("links: so many, and not for ever; whoever asks for them lets acquaintances in")
    func links() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let nobody = try ScriptPerson("nobody")
        let ids = (0..<3).map { _ in LinkID.random() }
        let room = RoomID.random()
        let seconds = Self.now / 1000
        func put(_ name: String, _ link: Int, _ expires: Int64, _ refusal: APIErrorCode? = nil) -> ScriptStep {
            ScriptStep(name, PutLink(link: ids[link], sender: alice.sender, expires: expires), refusal)
        }
        let known = StandingRequest(account: bob.account, standing: .known)
        let early = [
            make(room, by: bob),
            put("past", 0, seconds, .badRequest), put("too far", 0, seconds + Limits.linkLifetime + 2, .badRequest),
            put("one", 0, seconds + 50), put("again", 0, seconds + 100), put("two", 1, seconds + 10),
            put("three", 2, seconds + 50, .quotaExceeded),
            ScriptStep(
                "by nobody",
                PutLink(link: ids[0], sender: nobody.sender, expires: seconds + 50),
                .unauthorized
            ),
        ]
        let late = [
            put("what ran out makes room", 2, seconds + 500),
            add("a stranger", [alice], to: room, by: bob, asking: .linkOnly, .linkRequired),
            ScriptStep("taken back", DeleteLink(link: ids[2], sender: alice.sender)),
            ScriptStep("again", DeleteLink(link: ids[2], sender: alice.sender)),
            ScriptStep("known", PutStanding(id: .random(), sender: alice.sender, request: known)),
            add("a known one", [alice], to: room, by: bob, asking: .linkOnly),
            put("a last one", 2, seconds + 500),
            ScriptStep("remove", OperatorRemove(handle: alice.handle) { "gone:\($0.text)" }),
        ]
        try hold([(Self.now, registered(alice, bob) + early), (Self.now + 20_000, late)])
    }

    @Test("invitations to register: one use, and not for ever")
    func invitations() throws {
        let (alice, bob, eve) = (try ScriptPerson("alice"), try ScriptPerson("bob"), try ScriptPerson("eve"))
        let (invitations, later) = (MakeInvitations(count: 2, days: 1), MakeInvitations(count: 1, days: 1))
        let digests = (invitations.codes + later.codes).map(\.digest)
        func register(_ person: ScriptPerson, _ digest: [UInt8]) -> Register {
            var operation = person.register(at: Self.now / 1000)
            operation.invitation = digest
            return operation
        }
        let impostor = Registration(
            handle: alice.handle,
            account: eve.account,
            device: eve.registration.device,
            bundle: eve.registration.bundle,
            authenticator: eve.registration.authenticator,
            verifier: eve.verifier
        )
        let taken = Register(
            registration: impostor,
            family: eve.family(at: Self.now / 1000),
            thumbprint: nil,
            tombstone: "gone:alice",
            network: nil,
            invitation: digests[1]
        )
        let early = [
            ScriptStep("none", register(alice, digests[0]), .invitationRequired),
            ScriptStep("made", invitations), ScriptStep("once", register(alice, digests[0])),
            ScriptStep("the same request again", register(alice, digests[0])),
            ScriptStep("used", register(bob, digests[0]), .invitationRequired),
            ScriptStep("a handle that is taken uses none up", taken, .handleTaken),
        ]
        let late = [
            ScriptStep("ran out", register(bob, digests[1]), .invitationRequired), ScriptStep("another", later),
            ScriptStep("with it", register(bob, digests[2])),
        ]
        try hold([(Self.now, early), (Self.now + 2 * 86_400_000, late)])
    }
}
