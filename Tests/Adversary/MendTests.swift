import Foundation
import HouseSupport
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// A member who tries to stop a room for the others, and how they go on.
@Suite("A room that somebody tried to stop")
struct MendTests {
    enum Attempt: CaseIterable, Sendable {
        /// Says to leave, and stays at the relay.
        case leavingInWords
        /// Leaves at the relay, with a message that nobody can open.
        case leavingInSilence
        /// Puts bob out at the relay, with such a message.
        case puttingOutInSilence
        /// Brings carol in at the relay, with such a message.
        case bringingInInSilence
        /// Asks for new keys at the relay, with such messages.
        case renewingInSilence
    }

    /// How often new keys are asked for: beyond some dozens the relay makes whoever asks wait.
    private static let renewals = Count.of(few: 40, full: 300)

    @Test(arguments: Attempt.allCases)
    func goesOn(_ attempt: Attempt) async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "mallory", "carol")
        let (alice, bob, mallory, carol) = (people[0], people[1], people[2], people[3])
        try await house.room("kitchen", of: [alice, bob, mallory])
        let room = try await alice.room("kitchen")
        let caller = try await RelayCaller(mallory)
        let last = try await caller.messages(of: room, from: 3).count + 2
        func silently(
            _ action: MembershipChange.Action,
            _ accounts: [AccountID],
            after: Int,
            generation: UInt32
        )
            async throws
        {
            let change = MembershipChange(action: action, accounts: accounts, after: UInt64(after))
            try await caller.send(
                SendRequest(id: .random(), generation: generation, body: Data("rubbish".utf8), change: change),
                to: room
            )
        }
        switch attempt {
        case .leavingInWords: try await mallory.say(.left, written: 0, in: room)
        case .leavingInSilence: try await silently(.leave, [], after: last, generation: 1)
        case .puttingOutInSilence:
            try await silently(.remove, [try await bob.account().account], after: last, generation: 2)
        case .bringingInInSilence:
            try await silently(.add, [try await carol.account().account], after: last, generation: 1)
        case .renewingInSilence:
            for number in 0..<Self.renewals {
                try await silently(.renew, [], after: last + number, generation: UInt32(2 + number))
            }
        }
        // Nothing goes out before a person has looked at it, nor behind their back afterwards.
        let refused = try await alice.run("send", "kitchen", "still here")
        if attempt == .renewingInSilence {
            expect(refused, 6, "the relay wants key \(Self.renewals + 1)", "nothing was sent; `mildam room mend`")
        } else {
            expect(refused, 6, "nothing was sent; `mildam room mend`")
        }
        expect(
            try await alice.run("room", "mend", "kitchen"),
            0,
            attempt == .renewingInSilence ? "0 put out" : "1 put out"
        )
        try await alice.done("send", "kitchen", "and on")
        #expect(try await alice.texts("kitchen") == ["and on"])
        switch attempt {
        case .puttingOutInSilence:
            expect(try await bob.run("read", "kitchen"), 6)
            // Whoever was put out by a lie is invited again.
            try await alice.done("room", "invite", "kitchen", "bob")
            try await bob.join("kitchen")
            try await alice.done("send", "kitchen", "welcome back")
            #expect(try await bob.texts("kitchen").last == "welcome back")
        default:
            #expect(try await bob.texts("kitchen") == ["and on"])
            try await bob.done("send", "kitchen", "me too")
        }
        // Nobody came in by the relay's word.
        let members = try await alice.run("room", "show", "kitchen", "--json")
        expect(members, 0)
        #expect(!members.output.contains("carol"))
        expect(try await carol.run("room", "join", room.description), 4)
    }

    /// Who has enough of it can go, mended or not.
    @Test func leaving() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory")
        let (alice, mallory) = (people[0], people[1])
        try await house.room("kitchen", of: [alice, mallory])
        let room = try await alice.room("kitchen")
        let caller = try await RelayCaller(mallory)
        let last = try await caller.messages(of: room, from: 2).count + 1
        let change = MembershipChange(action: .renew, after: UInt64(last))
        try await caller.send(
            SendRequest(id: .random(), generation: 2, body: Data("rubbish".utf8), change: change),
            to: room
        )
        try await alice.done("room", "leave", "kitchen")
        expect(try await alice.run("room", "list"), 0, "left")
    }

    @Test func thereIsNothingToMend() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        try await house.room("kitchen", of: people)
        let before = try await people[0].done("room", "show", "kitchen")
        expect(try await people[0].run("room", "mend", "kitchen"), 0, "0 put out")
        #expect(try await people[0].done("room", "show", "kitchen") == before)
    }
}
