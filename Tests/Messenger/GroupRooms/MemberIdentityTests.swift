import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import Testing

@testable import MildamMessenger

@Suite("Who members are, by what rooms say of them")
struct MemberIdentityTests {
    @Test("many are looked up at once, and each is verified by itself")
    func many() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let carol = try await house.person("carol")
        let (bobs, carols) = (try await alice.rooms.find(bob.handle), try await alice.rooms.find(carol.handle))
        let nobody = SoughtAccount(account: .random(), handle: try Handle("nobody"))
        let found = try await alice.rooms.find(all: [
            SoughtAccount(account: bobs.account, handle: bob.handle), nobody,
            SoughtAccount(account: bobs.account, handle: carol.handle),
            SoughtAccount(account: carols.account, handle: carol.handle),
        ])
        #expect(found.count == 4)
        #expect(try found[0].get().identity == bobs.identity && found[3].get().identity == carols.identity)
        #expect(found[1] == .failure(RoomFault("unknown-account", ["handle": "nobody"])))
        #expect(throws: RoomFault.self, "under another name") { try found[2].get() }
        await house.stop()
        await #expect(throws: RoomFault.self) { try await alice.rooms.find(all: [nobody]) }
    }

    @Test("an account's records are believed under any identity that it has in a room, and under no other")
    func severalIdentities() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let carol = try await house.person("carol")
        let found = try await alice.rooms.find(carol.handle)
        let claimed = RoomIdentity(
            key: Curve25519.Signing.PrivateKey().publicKey,
            rotation: 0,
            nextIdentity: [UInt8](repeating: 1, count: 32)
        )
        let answers = try await bob.rooms.relay.accounts.newer(among: [found.account])
        let bundle = try #require(answers.first?.bundle)
        let messenger = Messenger(profile: bob.profile)
        let checked = try await messenger.checked(bundle, of: found.account, asAnyOf: [claimed, found.identity])
        #expect(checked.record.identityKey == found.identity.key)
        await #expect(throws: MessengerError.self) {
            _ = try await messenger.checked(bundle, of: found.account, asAnyOf: [claimed])
        }
        await house.stop()
    }
}
