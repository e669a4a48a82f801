import HouseSupport
import MildamClientCore
import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamSystem
import Testing

@testable import MildamMessenger

@Suite("Rooms that are MLS groups: what came before the relay's first word")
struct FirstWordTests {
    /// A relay tells of what comes from its first word on. This one says it when an invitation has come, and does not tell of that.
    @Test("is found with it, though nothing told of it")
    func invitation() async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer { proxy.stop() }
        let alice = try await house.person("alice")
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        try await Messenger(profile: profile).createAccount(Handle("bobby"), at: proxy.url, password: RoomHouse.password)
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        try await until { try await bob.rooms.stock() > 0 }
        await bob.goOffline()

        let firstWord = Lock<[LiveEvent]>([])
        proxy.tamperLive { event in
            switch event {
            case .hello:
                firstWord.withLock { $0 = [event] }
                return []
            case .mailbox:
                return firstWord.withLock { word in
                    defer { word = [] }
                    return word
                }
            default: return [event]
            }
        }
        bob.comeBack()
        try await until { await bob.rooms.connection == .connected && firstWord.withLock { !$0.isEmpty } }
        let garden = try await alice.makeRoom("garden")
        let found = try await alice.rooms.find(bob.handle)
        try await alice.get(.invite(found.account, found.identity), in: garden)
        try await until { firstWord.withLock { $0.isEmpty } }
        try await until { await bob.standing(in: garden) == .requested }
        await house.stop()
    }
}
