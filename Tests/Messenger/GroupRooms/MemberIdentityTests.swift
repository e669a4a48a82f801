import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import Testing

@testable import MildamMessenger

@Suite("Who members are, by what rooms say of them")
struct MemberIdentityTests {
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
