import Foundation
import MildamContent
import MildamIdentity
import MildamMessenger
import MildamProfile
import MildamRelay
import TestSupport
import Testing

/// The snippet is built with the tests, and runs as a program of its own.
@Suite("A program with nothing but the libraries lists a profile's rooms")
struct RoomListingTests {
    private let folder: TemporaryFolder
    private let profile: OpenProfile

    init() throws {
        folder = try TemporaryFolder()
        profile = OpenProfile(folder: folder.file("alice"))
    }

    private func listRooms() throws -> Program.Result {
        try Program.run("list-rooms", environment: ["MILDAM_HOME": folder.path, "MILDAM_PROFILE": "alice"])
    }

    @Test func theRoomsOfAnAccount() async throws {
        let relay = try RelayServer(
            RelayConfiguration(dataFolder: folder.file("relay"), address: .loopback(port: 0))
        )
        let messenger = Messenger(profile: profile)
        let password = Password(copying: Array("a long password".utf8).span)
        _ = try await messenger.createAccount(Handle("alice"), at: relay.url, password: password)
        let rooms = try await GroupRooms(of: messenger)
        let made = [(RoomID.random(), "attic"), (RoomID.random(), "kitchen")].sorted { $0.0 < $1.0 }
        for (room, name) in made { try await rooms.make(room, RoomInfo(name: name), [.membersInvite]) }
        await relay.stop()
        let result = try listRooms()
        #expect(result.status == 0, "\(result)")
        #expect(result.output == made.map { "\($0.0)  beginning  \($0.1)\n" }.joined())
    }

    @Test func aProfileWithoutAnAccountIsLeftUnmade() throws {
        let result = try listRooms()
        #expect(result.status != 0 && result.errors.contains("no-account"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: profile.place.folder))
    }
}
