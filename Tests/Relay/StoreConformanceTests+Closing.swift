import MildamIdentity
import MildamRelayAPI
import Testing

@testable import MildamRelay

/// Rooms that all members leave, some of whose accounts are deleted meanwhile.
extension StoreConformanceTests {
    private func leave(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        after handshake: UInt64 = 0
    ) -> ScriptStep {
        ScriptStep(name, ScriptGroup.leave(room, by: person.sender, after: handshake))
    }

    private func remove(_ name: String, _ person: ScriptPerson) -> ScriptStep {
        ScriptStep(name, OperatorRemove(handle: person.handle) { "gone:\($0.text)" })
    }

    private func say(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        epoch: UInt64 = 0,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        ScriptStep(name, ScriptGroup.say([1], in: room, by: person.sender, epoch: epoch), refusal)
    }

    @Test("a room closes once all who are left of its members leave, and not before")
    func closing() throws {
        let people = try ["alice", "bobby", "carol", "david"].map { try ScriptPerson($0) }
        let (alice, bob, carol, david) = (people[0], people[1], people[2], people[3])
        let (room, other) = (RoomID.random(), RoomID.random())
        let (three, gone) = ([bob.account, carol.account], [alice.account, bob.account])
        let commit = ScriptGroup.commit(to: room, by: carol.sender, after: 2, removing: gone)
        let steps = [
            ScriptStep("a room of three", ScriptGroup.create(room, by: alice.sender, with: three)),
            leave("bob leaves", bob, room), remove("bob is no more", bob),
            leave("alice leaves", alice, room, after: 1),
            say("carol is in it, and names them first", carol, room, .proposalsDue),
            ScriptStep("carol commits", commit), say("carol goes on", carol, room, epoch: 1),
            ScriptStep(
                "another",
                ScriptGroup.create(other, by: alice.sender, with: [carol.account, david.account])
            ),
            leave("alice leaves that", alice, other), leave("so does carol", carol, other, after: 1),
            say("david is in it", david, other, .proposalsDue),
            remove("david is no more", david),
            say("it is closed to alice", alice, other, .notAMember),
            say("and to carol", carol, other, .notAMember),
        ]
        try hold(steps, people.map { ScriptStep("register", $0.register(at: Self.now / 1000)) })
    }
}
