import MildamClientCore
import MildamIdentity
import MildamRoomRules
import Testing

@testable import MildamMessenger

@Suite("A room whose only owner deletes the account, over a relay (H29)")
struct OwnerDeletedTests {
    @Test("a member takes the account out as soon as the relay has it no more, and the others have an owner's rights")
    func onlyOwner() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let carol = try await house.person("carol")
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        try await alice.invite(carol, to: room)
        try await expectSame([alice, bob, carol], in: room)
        // Their records were looked at, and are not asked for again by themselves within the hour.
        let account = try await bob.rooms.find(alice.handle).account
        let refused = try await bob.begin(.policy([]), in: room)
        let code = RoomRule.policyIsChangedByOwners.rawValue
        #expect(await bob.rooms.outcome(of: refused) == .failed(code: code))

        await alice.goOffline()
        try await Messenger(profile: alice.profile).deleteAccount(RoomHouse.password, code: nil)
        try await until {
            try await bob.rooms.refresh()
            return await bob.overview(of: room)?.members?.contains(account) == false
        }
        try await until { await carol.overview(of: room)?.members?.contains(account) == false }
        try await bob.get(.policy([]), in: room)
        try await carol.say("on we go", in: room)
        try await until { try await bob.texts(in: room).last == "on we go" }
        try await expectSame([bob, carol], in: room)
        await house.stop()
    }
}
