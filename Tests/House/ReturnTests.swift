import Foundation
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

@testable import MildamMessenger

/// Who was put out and comes back, and what waits meanwhile.
@Suite("Put out, and back again")
struct ReturnTests {
    /// bob sleeps while he is put out and invited again, by somebody he does not know.
    @Test func whileAsleep() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [alice, bob])
        try await bob.done("send", "kitchen", "good night")
        try await alice.done("room", "invite", "kitchen", "carol")
        try await carol.done("room", "join", "kitchen")
        try await alice.done("room", "remove", "kitchen", "bob")
        try await carol.done("room", "invite", "kitchen", "bob")
        try await carol.done("send", "kitchen", "good morning")
        expect(try await bob.run("read", "kitchen"), 6, "carol has invited you again: `mildam room join`")
        expect(try await bob.run("room", "list"), 0, "invited by carol")
        try await bob.done("room", "join", "kitchen")
        #expect(try await bob.texts("kitchen").last == "good morning")
        try await bob.done("send", "kitchen", "and to you")
        let last = try #require(try await carol.messages("kitchen").last)
        #expect(last.text == "and to you" && last.missingBefore == 0)
        #expect(try await alice.messages("kitchen").allSatisfy { $0.refused == nil && $0.missingBefore == 0 })
    }

    /// Declining an invitation that is past does not lose the one that came after it.
    @Test func decliningTheOld() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "list"), 0, "invited by alice")
        try await alice.done("room", "remove", "kitchen", "bob")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await alice.done("send", "kitchen", "for the second time")
        // The old invitation ends no watching.
        let watch = try bob.watch()
        #expect(try await watch.line(with: "connected") != nil)
        expect(try await bob.run("room", "leave", "kitchen"), 6, "alice has invited you again")
        try await bob.done("room", "join", "kitchen")
        #expect(try await bob.texts("kitchen") == ["for the second time"])
        try await alice.done("room", "create", "attic")
        try await alice.done("room", "invite", "attic", "bob")
        #expect(try await watch.line(with: "invited you to attic") != nil)
        watch.signal(15)
        _ = try await watch.end()
    }

    /// An envelope for a room that came with another room's change is nobody's: neither an invitation nor a key.
    @Test func anEnvelopeFromElsewhere() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "mallory")
        let (alice, bob, mallory) = (people[0], people[1], people[2])
        try await mallory.done("room", "create", "lair")
        let lair = try await mallory.room("lair")
        let elsewhere = RoomID.random()
        let envelope = try await mallory.invitation(of: bob, to: elsewhere, with: [])
        let known = try await bob.account()
        let change = MembershipChange(
            action: .add,
            accounts: [known.account],
            after: 1,
            envelopes: [AddressedEnvelope(account: known.account, device: known.device, body: envelope)]
        )
        try await RelayCaller(mallory).send(
            SendRequest(id: .random(), generation: 1, body: Data("rubbish".utf8), change: change),
            to: lair
        )
        let list = try await bob.run("room", "list")
        #expect(list.status == 0 && !list.output.contains("trap"), "\(list)")
        try await house.room("kitchen", of: [alice, bob])
    }

    /// An invitation that was shown is not replaced by another: what a person joins is what they saw.
    @Test func anInvitationIsNotReplaced() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let people = try await house.people("alice", "mallory")
        let (alice, mallory) = (people[0], people[1])
        let bob = house.person("bob", at: proxy.url)
        try await bob.create()
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        expect(try await bob.run("room", "list"), 0, "invited by alice")
        let room = try await alice.room("kitchen")
        let envelope = try await mallory.invitation(of: bob, to: room, with: [alice])
        proxy.tamper { route, request, answer in
            guard case Routes.mailbox = route else { return answer }
            guard request.method == .get else { return HTTPResponse(status: 204) }
            guard request.target.query == "from=2" else { return answer }
            return try answer.changing(MailboxPage.self) { page in
                page.items = [MailboxItem(number: 2, kind: .envelope, room: room, body: envelope)]
            }
        }
        _ = try await bob.run("room", "join", "kitchen")
        proxy.behave()
        expect(try await bob.run("room", "list"), 0, "member")
        try await bob.done("send", "kitchen", "for alice")
        #expect(try await alice.texts("kitchen") == ["for alice"])
    }

    /// The relay says that bob is no member: what he wrote for later is kept, and so is his place.
    @Test func theRelaySaysSo() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let alice = try await house.people("alice")[0]
        let bob = house.person("bob", at: proxy.url)
        try await bob.create()
        try await house.room("kitchen", of: [alice, bob])
        proxy.stop()
        expect(try await bob.run("send", "kitchen", "written in the dark"), 7)
        let lying = try TamperingProxy.start(before: house.relay.url)
        try await bob.move(to: lying.url)
        lying.tamper { route, _, answer in
            switch route {
            case Routes.messages, Routes.room:
                HTTPResponse(
                    status: 403,
                    body: Array(try JSONEncoder().encode(APIErrorBody(APIError(.notAMember, "no member"))))
                )
            default: answer
            }
        }
        expect(try await bob.run("read", "kitchen"), 6)
        expect(try await bob.run("outbox", "list"), 0, "written in the dark")
        lying.behave()
        try await bob.done("read", "kitchen")
        #expect(try await alice.texts("kitchen") == ["written in the dark"])
    }

    /// What cannot go out in one room holds up that room alone, and can be dropped.
    @Test func oneRoomDoesNotHoldUpAnother() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        for room in ["kitchen", "attic"] { try await house.room(room, of: [alice, bob]) }
        try await house.kill()
        expect(try await bob.run("send", "kitchen", "never"), 7)
        expect(try await bob.run("send", "attic", "later"), 7)
        try await house.restart()
        try await alice.done("room", "remove", "kitchen", "bob")
        try await bob.done("send", "attic", "now")
        #expect(try await alice.texts("attic") == ["later", "now"])
        expect(try await bob.run("outbox", "list"), 0, "1  ", "kitchen: never")
        expect(try await bob.run("outbox", "drop", "1"), 0)
        expect(try await bob.run("outbox", "drop", "1"), 4, "nothing waits at place 1")
        expect(try await bob.run("outbox", "list"), 0, "nothing waits")
    }

    /// A text whose JSON is twice as long as itself is refused before it is kept.
    @Test func aTextTooLong() async throws {
        let house = try await House.open()
        let bob = try await house.people("bob")[0]
        try await bob.done("room", "create", "attic")
        let text = String(repeating: "\\", count: 199_000)
        expect(try await bob.run("send", "attic", input: text), 6, "too long for one message")
        expect(try await bob.run("outbox", "list"), 0, "nothing waits")
        try await bob.done("send", "attic", "short")
    }
}

/// What is believed of this very account.
@Suite("A lie about oneself")
struct OwnIdentityTests {
    /// Somebody invites alice under a forged key of her own, and the relay helps: no new key goes to its devices.
    @Test(arguments: [false, true])
    func aForgedOwnKey(_ sameAccount: Bool) async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let mallory = try await house.people("mallory")[0]
        let alice = house.person("alice", at: proxy.url)
        try await alice.create()
        let forger = try await Forger(imitating: alice)
        try await mallory.done("room", "create", "trap")
        let room = try await mallory.room("trap")
        let lie = Member(
            account: sameAccount ? forger.account : .random(),
            handle: forger.handle,
            identityKey: forger.identity.publicKey
        )
        let envelope = try await mallory.invitation(of: alice, to: room, with: [], naming: lie)
        proxy.tamper { route, request, answer in
            guard case Routes.mailbox = route else { return answer }
            guard request.method == .get else { return HTTPResponse(status: 204) }
            guard request.target.query == "from=1" else { return answer }
            return try answer.changing(MailboxPage.self) { page in
                page.items = [MailboxItem(number: 1, kind: .envelope, room: room, body: envelope)]
            }
        }
        let list = try await alice.run("room", "list")
        #expect(list.status == 0 && !list.output.contains("trap"), "\(list)")
        // And what the relay shows of her is held against her own key.
        try await house.room("kitchen", of: [alice, mallory])
        let forged = forger.bundle
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = forged }
        }
        expect(try await alice.run("room", "remove", "kitchen", "mallory"), 6, "the identity key of alice has changed")
        #expect(proxy.envelopes.allSatisfy { $0.device != forger.keys.device })
    }

    /// Whose key has changed is refused until a person accepts the fingerprint that they were told.
    @Test func accepting() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let bob = try await house.people("bob")[0]
        let alice = house.person("alice", at: proxy.url)
        try await alice.create()
        try await house.room("kitchen", of: [alice, bob])
        let old = try await bob.account().fingerprint
        let forger = try await Forger(imitating: bob)
        let new = Member(account: forger.account, handle: forger.handle, identityKey: forger.identity.publicKey)
            .pin.fingerprint.description
        let bundle = forger.bundle
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "bob" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = bundle }
        }
        expect(try await alice.run("contact", "accept", "bob", old), 6, "another fingerprint", new)
        expect(try await alice.run("contact", "list"), 0, old)
        expect(try await alice.run("contact", "accept", "bob", new.replacingOccurrences(of: " ", with: "")), 0, new)
        let list = try await alice.run("contact", "list")
        #expect(list.output.contains(new) && !list.output.contains(old), "\(list)")
        expect(try await alice.run("contact", "accept", "nobody", new), 4)
        proxy.behave()
        try await alice.done("room", "create", "attic")
        expect(try await alice.run("room", "invite", "attic", "bob"), 6, "has changed", "`mildam contact accept`")
    }
}

extension Person {
    /// An envelope with a key of this person's own for a room, signed as it should be.
    ///
    /// - Parameters:
    ///   - others: who else is said to be a member.
    ///   - member: what the guest is said to be; otherwise what they are.
    fileprivate func invitation(
        of guest: Person,
        to room: RoomID,
        with others: [Person],
        naming member: Member? = nil
    ) async throws -> Data {
        let target = try await guest.secrets().bundle
        let handle = try Handle(guest.name)
        var roster = [Member(try await ownRecord())]
        for other in others { roster.append(Member(try await other.ownRecord())) }
        if let member { roster.append(member) } else { roster.append(Member(try await guest.ownRecord())) }
        let members = roster
        return try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            do {
                let verified = try target.verified(for: handle, on: account.relay, pin: nil, at: 0)
                guard let device = verified.devices.values.first else { throw MessengerError.noAccount }
                let content = RoomInvitation(
                    key: RoomKey(room: room, generation: 2),
                    name: "trap",
                    history: HistoryPoint(number: 1, hash: [UInt8](repeating: 1, count: 32)),
                    members: members
                )
                return Data(
                    try KeyEnvelope(
                        content,
                        from: try messenger.ownRecord(account),
                        keys: try messenger.deviceKeys(account, store),
                        to: device
                    ).wireBytes
                )
            } catch {
                throw MessengerError(error)
            }
        }
    }

    private func ownRecord() async throws -> AccountRecord {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try messenger.ownRecord(try messenger.account(store))
        }
    }
}
