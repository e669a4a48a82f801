import Foundation
import MildamClientAPI
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("Files, as windows of a profile's client ask for them")
struct FileAskTests {
    /// A client's socket, with files behind it.
    private func server(of alice: FilePerson, at socket: String) throws -> ClientServer {
        let server = ClientServer(
            at: try UnixListener(at: socket),
            rooms: alice.person.rooms,
            book: MessengerBook(alice.messenger),
            files: alice.files,
            build: ClientBuild(executable: "/nowhere"),
            profile: "default"
        )
        guard server.start() else { throw SystemError("begin a thread", code: 11) }
        return server
    }

    /// What is on its way is an item, which goes on as the message that it becomes.
    @Test func howFarItIsIsTold() async throws {
        let house = try RoomHouse()
        let (alice, _, room) = try await house.fileRoom()
        let socket = house.folder.file("agent/client")
        let server = try server(of: alice, at: socket)
        defer { server.stop() }
        let (path, content) = try house.write("file", 3_000_000)
        let (link, other) = (try ClientLink(at: socket), try ClientLink(at: socket))
        let events = try await other.subscribe()
        guard case .wished(let key) = try await link.ask(.sendFile(room: room, path: path, text: "look")) else {
            Issue.record("it was not taken on")
            return
        }
        var states: [RoomItem.State] = []
        var number: UInt64?
        for await event in events {
            guard case .changes(_, let changes) = event else { continue }
            for case .items(room, let items, _) in changes {
                for item in items where item.key == key {
                    #expect(item.kind == .file && item.text == "look" && item.author?.isOwn == true)
                    #expect(item.file == RoomItem.File(name: "file", size: 3_000_000))
                    states.append(item.state)
                    number = item.number ?? number
                }
            }
            if number != nil { break }
        }
        for state in states.dropLast() {
            switch state {
            case .waiting, .sending(done: _, of: 3_000_000), .sent: continue
            default: Issue.record("\(state)")
            }
        }
        #expect(states.last == .sent)
        guard case .outcome(.done) = try await link.ask(.outcome(of: key, seconds: 10)) else {
            Issue.record("it is not done")
            return
        }
        let said = try #require(number)
        let ask = ClientAsk.saveFile(room: room, number: said, to: house.folder.file("copy"), replacing: false)
        guard case .saving(let id, let saved) = try await link.ask(ask) else {
            Issue.record("it is not saved")
            return
        }
        #expect(saved == house.folder.file("copy"))
        #expect(try await link.ask(.outcome(of: id, seconds: 60)) == .outcome(wish: .done()))
        #expect(house.read("copy") == content)
        await house.stop()
    }

    /// Under an id, a file is sent once, also where the client was another one meanwhile.
    @Test func whatIsAskedAgainIsSentOnce() async throws {
        let house = try RoomHouse()
        let (alice, _, room) = try await house.fileRoom()
        let (path, _) = try house.write("file", 1_000)
        let key = MessageID.random()
        for number in 0..<3 {
            let socket = house.folder.file("agent/client\(number)")
            let server = try server(of: alice, at: socket)
            let link = try ClientLink(at: socket)
            for _ in 0..<2 {
                #expect(try await link.ask(.sendFile(room: room, path: path, id: key)) == .wished(id: key))
            }
            try await until { try await link.items(room).contains { $0.key == key && $0.number != nil } }
            #expect(try await link.items(room).count { $0.kind == .file } == 1)
            server.stop()
            try await alice.restart()
        }
        await house.stop()
    }

    @Test func whatIsGivenUpGoesFromEveryWindow() async throws {
        let house = try RoomHouse()
        let (alice, _, room) = try await house.fileRoom()
        let socket = house.folder.file("agent/client")
        let server = try server(of: alice, at: socket)
        defer { server.stop() }
        let (path, _) = try house.write("file", 1_000)
        let (link, other) = (try ClientLink(at: socket), try ClientLink(at: socket))
        await house.stop()
        let events = try await other.subscribe()
        guard case .wished(let key) = try await link.ask(.sendFile(room: room, path: path)) else {
            Issue.record("it was not taken on")
            return
        }
        try await until {
            try await link.ask(.outcome(of: key, seconds: 0)) == .outcome(wish: .waiting(code: "unreachable"))
        }
        #expect(try await link.items(room).last?.key == key)
        guard case .status(let status) = try await link.ask(.status) else { throw ClientLinkError.ended }
        #expect(status.waiting == 1)
        #expect(try await link.ask(.cancelTransfer(of: key)) == .done)
        var isGone = false
        for await event in events {
            guard case .changes(_, let changes) = event else { continue }
            for case .items(room, _, let gone) in changes where gone == [key] { isGone = true }
            if isGone { break }
        }
        #expect(try await link.items(room).allSatisfy { $0.key != key })
        #expect(try await link.ask(.outcome(of: key, seconds: 0)) == .outcome(wish: .failed(code: "cancelled")))
    }

    /// A profile without an account has nothing to send.
    @Test func withoutAnAccountThereAreNone() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let code = try #require(ClientError.Code(rawValue: "no-account"))
        for ask in [
            ClientAsk.sendFile(room: room, path: "/a"), .saveFile(room: room, number: 1, to: "/a", replacing: false),
            .cancelTransfer(of: .random()),
        ] {
            await #expect(throws: ClientLinkError.refused(ClientError(code))) { try await link.ask(ask) }
        }
    }

    @Test func whatIsRefusedHasACode() async throws {
        let house = try RoomHouse()
        let alice = try await FilePerson(house.person("alice"))
        let room = try await alice.person.makeRoom("garden")
        let socket = house.folder.file("agent/client")
        let server = try server(of: alice, at: socket)
        defer { server.stop() }
        let link = try ClientLink(at: socket)
        let unknown = RoomID.random()
        for (ask, code, parameters) in [
            (ClientAsk.sendFile(room: unknown, path: "/a"), "no-such-room", ["room": "\(unknown)"]),
            (ClientAsk.sendFile(room: room, path: "a"), "bad-line", ["field": "path"]),
            (ClientAsk.sendFile(room: room, path: "/nowhere/a"), "file-not-readable", ["errno": "2"]),
            (ClientAsk.saveFile(room: room, number: 1, to: "a", replacing: false), "bad-line", ["field": "to"]),
            (
                ClientAsk.saveFile(room: unknown, number: 1, to: "/a", replacing: false),
                "no-such-room",
                ["room": "\(unknown)"]
            ),
        ] {
            let told = ClientError(try #require(ClientError.Code(rawValue: code)), parameters)
            await #expect(throws: ClientLinkError.refused(told), "\(ask)") { try await link.ask(ask) }
        }
        await house.stop()
    }
}
