import Foundation
import Glibc
import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamSystem
import TestSupport
import Testing

/// A relay's folder and profiles that earlier versions left: their rooms are read, and gone on with.
@Suite("Rooms of before (H28)")
struct OlderRoomTests {
    private static let folder = Vectors.packageFolder + "/Tests/mildam"
    private static let before = folder + "/Fixtures/rooms-before.tar.gz"

    /// Everything that was said in the kitchen while alice, bob and carol were all there.
    private static let said = ["soup at seven 🍲", "안녕하세요", "the list is there"]

    /// A house as it was left; its people know where the relay is now.
    private func house(
        _ archive: String = OlderRoomTests.before,
        _ names: [String] = ["alice", "bob", "carol"]
    ) async throws -> (House, [Person]) {
        try #require(FileManager.default.fileExists(atPath: archive), "Scripts/rooms-before makes \(archive)")
        let house = try await House.open(from: archive)
        let people = names.map { house.person($0) }
        for person in people { try await person.move(to: house.relay.url) }
        return (house, people)
    }

    /// The client of somebody's profile.
    private func client(of person: Person, isConnected: Bool = true) async throws -> ClientLink {
        expect(try await person.run("status"), 0, "account      \(person.name)")
        let link = try ClientLink(at: person.folder + "/agent/client")
        guard isConnected else { return link }
        try await until {
            guard case .status(let status) = try await link.ask(.status) else { return false }
            return status.isConnected
        }
        return link
    }

    private func stop(_ people: [Person], in house: House) async throws {
        for person in people { try await person.done("client", "stop") }
        withExtendedLifetime(house) {}
    }

    private func until(
        _ location: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<600 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it did not come to be", sourceLocation: location)
        throw CancellationError()
    }

    private func rows(_ link: ClientLink) async throws -> [RoomRow] {
        guard case .rooms(let rows, _) = try await link.ask(.rooms()) else { throw ClientLinkError.ended }
        return rows
    }

    private func older(_ name: String, _ link: ClientLink) async throws -> RoomRow {
        try #require(try await rows(link).first { $0.standing == .older && $0.name == name })
    }

    /// All items of a room, page by page from its beginning.
    private func items(of room: RoomID, _ link: ClientLink, inPagesOf size: Int = 2) async throws -> [RoomItem] {
        var items: [RoomItem] = []
        while true {
            let place = WindowPlace.number(at: (items.last?.number ?? 0) + 1)
            let answer = try await link.ask(.openRoom(room: room, at: place, before: 0, after: size))
            guard case .window(let page, _, let hasMore, _, _) = answer else { throw ClientLinkError.ended }
            items += page
            guard hasMore, !page.isEmpty else { return items }
        }
    }

    private func texts(of room: RoomID, _ link: ClientLink) async throws -> [String] {
        try await items(of: room, link).filter { $0.kind == .text }.compactMap(\.text)
    }

    /// Asks for something, and waits until it is so.
    private func get(
        _ ask: ClientAsk,
        from link: ClientLink,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        guard case .wished(let id) = try await link.ask(ask),
            case .outcome(.done) = try await link.ask(.outcome(of: id, seconds: 30))
        else {
            Issue.record("\(ask)", sourceLocation: location)
            throw CancellationError()
        }
    }

    // MARK: Reading

    @Test func whatWasSaidIsReadWithoutTheRelay() async throws {
        let (house, people) = try await house()
        try await house.kill()
        for person in people {
            let link = try await client(of: person, isConnected: false)
            let kitchen = try await older("kitchen", link)
            #expect(kitchen.members == 3 && kitchen.last?.text == "the list is there" && kitchen.goesOnAs == nil)
            #expect(try await texts(of: kitchen.room, link) == Self.said)
            let items = try await items(of: kitchen.room, link)
            #expect(items.compactMap(\.file?.name) == ["list.txt"])
            // Each text is found again by what it has in it.
            for (number, text) in items.compactMap({ item in item.text.map { (item.number ?? 0, $0) } })
            where Self.said.contains(text) {
                #expect(try await link.ask(.fullText(room: kitchen.room, number: number)) == .text(text: text))
            }
            guard case .members(let members) = try await link.ask(.members(room: kitchen.room)) else {
                throw ClientLinkError.ended
            }
            #expect(members.compactMap(\.handle?.text).sorted() == ["alice", "bob", "carol"])
        }
        let alice = try await client(of: people[0], isConnected: false)
        let attic = try await older("attic", alice).room
        #expect(try await texts(of: attic, alice) == ["nobody hears this", "and nobody again"])
        try await stop(people, in: house)
    }

    @Test func whatWasSaidIsFoundWithoutTheRelay() async throws {
        let (house, people) = try await house()
        try await house.kill()
        for person in people {
            expect(try await person.run("search", "SOUP"), 0, "kitchen", "soup at seven")
            expect(try await person.run("search", "안녕"), 0, "안녕하세요")
            expect(try await person.run("search", "LIST", "--room", "kitchen"), 0, "the list is there", "[list.txt")
        }
        expect(try await people[0].run("search", "nobody"), 0, "attic", "nobody hears this", "and nobody again")
        expect(try await people[0].run("search", "nobody", "--room", "kitchen"), 4, "no message has")
        try await stop(people, in: house)
    }

    @Test func aProfileOfTheFirstReleaseIsReadToo() async throws {
        let (house, people) = try await house(Self.folder + "/Transcripts/older.tar.gz", ["bob"])
        let link = try await client(of: people[0], isConnected: false)
        let kitchen = try await older("kitchen", link)
        let items = try await items(of: kitchen.room, link)
        let texts = items.filter { $0.kind == .text }
        #expect(texts.map(\.text) == ["안녕하세요 🍲", "こんにちは", "said while the relay was away"])
        #expect(texts.map(\.state) == [.sent, .sent, .failed(code: "older-room")])
        #expect(items.compactMap(\.file?.name) == ["note.txt"])
        await #expect(throws: ClientLinkError.refused(ClientError(.olderRoom, ["room": "\(kitchen.room)"]))) {
            try await link.ask(.send(room: kitchen.room, text: "a"))
        }
        try await stop(people, in: house)
    }

    /// Also what an earlier version has sent: it is fetched from the relay, and opened by what the message has of it.
    @Test func aFileOfBeforeIsSaved() async throws {
        let (house, people) = try await house(Self.folder + "/Transcripts/older.tar.gz", ["bob"])
        let bob = people[0]
        try await bob.done("account", "login", "--password-file", "-", input: "another password\n")
        let folder = try TemporaryFolder()
        expect(try await bob.run("save", "kitchen", "5", "-o", folder.file("copy")), 0, "saved ")
        #expect(FileManager.default.contents(atPath: folder.file("copy"))?.isEmpty == false)
        expect(try await bob.run("save", "kitchen", "4", "-o", folder.file("text")), 4, "message 4")
        #expect(!FileManager.default.fileExists(atPath: folder.file("text")))
        expect(try await bob.run("room", "join", "kitchen"), 6, "mildam room continue")
        expect(try await bob.run("room", "forget", "kitchen", "--yes"), 6, "of the first kind")
        try await stop([bob], in: house)
    }

    // MARK: Going on

    @Test func oneGoesOnAndTheOthersAreInIt() async throws {
        let (house, people) = try await house()
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let (one, two) = (try await client(of: alice), try await client(of: bob))
        let kitchen = try await older("kitchen", one)
        // Bob can be brought into rooms by now.
        expect(try await bob.run("room", "list"), 0, "kitchen")
        // Carol's client was not updated yet.
        expect(
            try await alice.run("room", "continue", "kitchen"),
            0,
            "kitchen goes on as",
            "carol is not in it: their client has not been updated; later: mildam room invite"
        )
        let next = try #require(try await older("kitchen", one).goesOnAs)
        expect(try await alice.run("room", "continue", "\(kitchen.room)"), 0, "kitchen goes on already, as \(next)")
        try await until { try await rows(two).contains { $0.room == next && $0.goesOnFrom == kitchen.room } }
        expect(
            try await bob.run("room", "continue", "kitchen"),
            6,
            "alice has gone on with kitchen: mildam room join \(next)"
        )
        try await get(.accept(room: next), from: two)
        try await get(.send(room: next, text: "as before"), from: two)
        try await until { try await texts(of: next, one) == ["as before"] }
        #expect(try await rows(one).first { $0.room == next }?.name == "kitchen")
        expect(try await bob.run("room", "continue", "kitchen"), 0, "kitchen goes on already, as \(next)")

        let three = try await client(of: carol)
        try await get(.invite(room: next, handle: Handle("carol")), from: one)
        try await until { try await rows(three).contains { $0.room == next } }
        try await get(.accept(room: next), from: three)
        try await get(.send(room: next, text: "me too"), from: three)
        for link in [one, two] { try await until { try await texts(of: next, link).last == "me too" } }
        // What was said before stays where it was, and says where it goes on.
        for link in [one, two, three] {
            #expect(try await texts(of: kitchen.room, link) == Self.said)
            let last = try await items(of: kitchen.room, link, inPagesOf: 100).last
            #expect(last?.code == "goes-on-as" && last?.room == next)
            #expect(try await items(of: next, link, inPagesOf: 100).first?.code == "goes-on-from")
        }
        try await stop(people, in: house)
    }

    @Test func whoHasLeftDoesNotGoOn() async throws {
        let (house, people) = try await house()
        let bob = people[1]
        _ = try await client(of: bob)
        expect(try await bob.run("room", "continue", "attic"), 6, "left")
        expect(try await bob.run("room", "continue", "cellar"), 4, "no room is called cellar")
        try await stop([bob], in: house)
    }

    @Test func withoutTheRelayNothingIsMade() async throws {
        let (house, people) = try await house()
        let alice = people[0]
        let link = try await client(of: alice)
        try await house.kill()
        let refused = try await alice.run("room", "continue", "kitchen")
        #expect(refused.status != 0, "\(refused)")
        #expect(try await rows(link).allSatisfy { $0.standing == .older })
        try await house.restart()
        _ = try await client(of: alice)
        expect(try await alice.run("room", "continue", "kitchen"), 0, "kitchen goes on as")
        try await stop([alice], in: house)
    }

    /// Two at once: each has made a room, or one was first; all are told of the same rooms, and where to stay.
    @Test func twoWhoGoOnAtOnceAreToldTheSame() async throws {
        struct Answer: Decodable { var rooms: [RoomContinuation.Successor] }
        let (house, people) = try await house()
        let (alice, bob) = (people[0], people[1])
        let links = [try await client(of: alice), try await client(of: bob)]
        // Of whom the relay has no key package yet is given a seat, and has to say yes before the room tells what it goes on from.
        for person in [alice, bob] { expect(try await person.run("room", "list"), 0, "kitchen") }
        async let first = alice.run("room", "continue", "kitchen")
        async let second = bob.run("room", "continue", "kitchen")
        let results = [try await first, try await second]
        let made = results.count { $0.status == 0 }
        #expect(made > 0 && results.allSatisfy { $0.status == 0 || $0.status == 6 }, "\(results)")
        for link in links { try await until { try await rows(link).count { $0.goesOnFrom != nil } == made } }
        var told: [[RoomID]] = []
        for person in [alice, bob] {
            let said = try await person.run("room", "continue", "kitchen", "--json").output
            told.append(try JSONDecoder().decode(Answer.self, from: Data(said.utf8)).rooms.map(\.row.room))
            guard made == 2 else { continue }
            expect(try await person.run("room", "continue", "kitchen"), 0, "too:", "mildam room leave \(told[0][1])")
        }
        #expect(told[0] == told[1] && told[0].count == made)
        try await stop([alice, bob], in: house)
    }

    /// More answers than the relay gives while somebody goes on.
    private static let most = 20

    @Test(
        "The client is killed once the relay has answered it so often: said again, nothing is made twice",
        arguments: Count.of(few: 0, full: 1) == 1 ? Array(0...OlderRoomTests.most) : [0, 2, 7]
    )
    func killed(_ answers: Int) async throws {
        let (house, people) = try await house()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (people[0], people[1])
        try await alice.move(to: proxy.url)
        let two = try await client(of: bob)
        let running = try alice.start("client", "run", "--stay")
        #expect(try await running.line(with: "ready") != nil)
        let kitchen = try await older("kitchen", try await client(of: alice))
        let killer = Killer(of: running.identifier, after: answers)
        proxy.tamper { _, _, answer in
            killer.count()
            return answer
        }
        _ = try await alice.run("room", "continue", "kitchen")
        // What it does by itself from then on is interrupted, too.
        for _ in 0..<100 where !killer.hasKilled { try await Task.sleep(for: .milliseconds(50)) }
        if answers == Self.most { #expect(!killer.hasKilled, "the relay gives more answers than are tried") }
        running.signal(SIGKILL)
        _ = try await running.end()
        proxy.behave()

        let one = try await client(of: alice)
        expect(try await alice.run("room", "continue", "kitchen"), 0, "kitchen goes on", "carol is not in it")
        let next = try #require(try await older("kitchen", one).goesOnAs)
        try await until { try await rows(two).contains { $0.room == next } }
        try await get(.accept(room: next), from: two)
        try await get(.send(room: next, text: "as before"), from: two)
        try await until { try await texts(of: next, one) == ["as before"] }
        for link in [one, two] {
            #expect(try await rows(link).count { $0.goesOnFrom == kitchen.room } == 1)
            #expect(try await texts(of: kitchen.room, link) == Self.said)
        }
        try await stop([alice, bob], in: house)
        proxy.stop()
    }
}

/// Ends a program when the relay has answered it so many times, before the answer is heard.
private final class Killer: Sendable {
    private let left: Lock<Int>
    private let program: pid_t

    init(of program: pid_t, after count: Int) {
        self.program = program
        left = Lock(count)
    }

    var hasKilled: Bool { left.withLock { $0 < 0 } }

    func count() {
        left.withLock { left in
            left -= 1
            if left == -1 { kill(program, SIGKILL) }
        }
    }
}
