import Foundation
import Glibc
import HouseSupport
import MildamIdentity
import MildamMessenger
import MildamRelayAPI
import MildamStorage
import MildamSystem
import TestSupport
import Testing

/// The disk forgets what was not synced, at the moment the programs are killed (`Tests/PowerCut`).
@Suite("Power cut: what was acknowledged is on the disk")
struct PowerCutTests {
    // MARK: The relay

    /// Messages, blobs, accounts and sessions, acknowledged while other things are under way.
    @Test(arguments: 0..<Count.of(few: 2, full: 20))
    func theRelay(_ round: Int) async throws {
        var random = Seed.generator(for: "power cut of the relay \(round)")
        let goal = Int.random(in: 20...300, using: &random)
        let content = random.bytes(40_000)
        let scene = try await RelayScene.play(weakened: nil, goal: goal, content: content)
        let relay = try await RelayProcess.start(data: scene.disk.path + "/relay")
        defer { withExtendedLifetime(relay) {} }
        #expect(relay.id == scene.relay, "another relay")

        #expect(scene.burst.acknowledged.count >= goal)
        #expect(try await scene.missing(at: relay) == 0, "an acknowledged message is gone")
        let caller = try await RelayCaller(scene.people[0], at: relay.url)
        let received = try await caller.received(of: scene.blob, in: scene.room)
        #expect(received >= scene.uploaded, "an acknowledged piece of a blob is gone")
        // What is there can be completed, and is what it was.
        var offset = received
        while offset < content.count {
            let piece = Array(content[offset..<min(offset + 1_000, content.count)])
            offset = try await caller.put(piece, of: scene.blob, size: content.count, offset: offset, in: scene.room)
        }
        #expect(try await caller.content(of: scene.blob, in: scene.room, count: content.count) == content)
        // Accounts and sessions: those of the start, and those that were made among the sends.
        for person in scene.people + scene.late {
            try await person.move(to: relay.url)
            try await person.letAccessEnd()
            expect(try await person.run("room", "list"), 0)
            try await person.done("account", "login", "--password-file", "-", input: person.password + "\n")
            try await person.run("client", "stop")
        }
    }

    /// The same relay loses messages when SQLite does not sync each commit: the test can tell.
    @Test(arguments: [Database.Options.Synchronous.normal, .off])
    func aRelayThatSyncsLessLosesMessages(_ synchronous: Database.Options.Synchronous) async throws {
        var random = Seed.generator(for: "power cut of a weakened relay")
        let scene = try await RelayScene.play(
            weakened: synchronous.rawValue,
            goal: 60,
            content: random.bytes(4_000)
        )
        do {
            let relay = try await RelayProcess.start(data: scene.disk.path + "/relay")
            #expect(try await scene.missing(at: relay) > 0)
            try await relay.kill()
        } catch let failure as NoRelay {
            // The database is damaged: worse still.
            #expect(failure.result.status == 5, "\(failure.result)")
        }
    }

    // MARK: The client

    @Test(arguments: 0..<Count.of(few: 1, full: 10))
    func theClient(_ round: Int) async throws {
        let house = try await House.open(isEmpty: true)
        let bob = try await house.people("bob")[0]
        let root = try TemporaryFolder()
        let cutAtFirst = try PowerCut(following: root.path)
        var alice = Person(
            name: "alice",
            home: root.path,
            relay: house.relay.url,
            environment: cutAtFirst.environment
        )

        // An account whose making was acknowledged can be used.
        try await alice.create()
        let made = try cutAtFirst.restored()
        let reborn = Person(name: "alice", home: made.path, relay: house.relay.url)
        try await reborn.done("account", "login", "--password-file", "-", input: reborn.password + "\n")
        try await reborn.run("client", "stop")
        // The same device's earlier session is over with that.
        try await alice.done("account", "login", "--password-file", "-", input: alice.password + "\n")
        try await alice.run("client", "stop")

        // It is the client that stores. One that a command starts is given few variables, and would not be followed.
        let cut = try PowerCut(following: root.path)
        alice.environment = cut.environment
        let client = try await RunningClient.start(alice)
        try await house.room("kitchen", of: [alice, bob])
        try await alice.done("send", "kitchen", "sent one")
        try await house.kill()
        for text in ["kept one", "kept two"] { expect(try await alice.run("send", "kitchen", text), 7, "kept") }
        // The machine is off: nobody else is this device any more.
        try await client.kill()
        let disk = try cut.restored()
        alice = Person(name: "alice", home: disk.path, relay: house.relay.url)
        #expect(try await alice.outboxTexts() == ["kept one", "kept two"])
        try await house.restart()
        try await alice.done("send", "kitchen", "after")
        let messages = try await bob.messages("kitchen")
        #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
        #expect(
            messages.filter { $0.kind == "text" }.map(\.text) == ["sent one", "kept one", "kept two", "after"]
        )
        try await alice.done("client", "stop")
        withExtendedLifetime((root, made, disk)) {}
    }

    /// The power goes after a message has left and before its number was heard: it was synced before it left, so it is said
    /// once, under its own id, and none of its keys is used again.
    @Test(arguments: 0..<Count.of(few: 1, full: 10))
    func theClientBetweenSendingAndItsNumber(_ round: Int) async throws {
        var random = Seed.generator(for: "power cut between sending and its number \(round)")
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let root = try TemporaryFolder()
        let bob = try await house.people("bob")[0]
        let before = Person(name: "alice", home: root.path, relay: proxy.url)
        try await house.settle(before)
        try await house.room("kitchen", of: [before, bob])
        try await before.done("send", "kitchen", "before")
        try await before.done("client", "stop")

        let cut = try PowerCut(following: root.path)
        let alice = Person(name: "alice", home: root.path, relay: proxy.url, environment: cut.environment)
        let client = try await RunningClient.start(alice)
        // The relay has it, and nobody hears of that.
        proxy.tamper { route, _, answer in
            guard case Routes.sendToGroup = route else { return answer }
            throw CocoaError(.fileReadUnknown)
        }
        proxy.tamperLive { event in
            guard case .message = event else { return [event] }
            return []
        }
        proxy.forget()
        let sending = try alice.start("send", "kitchen", "once")
        try await RunningClient.until { !proxy.sends.isEmpty }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &random)))
        sending.signal(SIGKILL)
        _ = try await sending.end()
        try await client.kill()
        let disk = try cut.restored()
        proxy.behave()

        let later = Person(name: "alice", home: disk.path, relay: proxy.url)
        try await RunningClient.until { try await later.outboxTexts().isEmpty }
        let read = try await later.run("read", "kitchen")
        expect(read, 0, "alice: once")
        #expect(!read.output.contains("put back"), "its own message is no stranger to it: \(read)")
        try await later.done("send", "kitchen", "after")
        for person in [later, bob] {
            let messages = try await person.messages("kitchen")
            #expect(messages.filter { $0.kind == "text" }.map(\.text) == ["before", "once", "after"])
            #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
        }
        try await later.done("client", "stop")
        proxy.stop()
        withExtendedLifetime((root, disk, house)) {}
    }

    /// The same client with a database that syncs less loses what it said it had kept.
    @Test(arguments: [Database.Options.Synchronous.full, .normal, .off])
    func aClientThatSyncsLessLosesTexts(_ synchronous: Database.Options.Synchronous) async throws {
        let house = try await House.open()
        let root = try TemporaryFolder()
        let alice = Person(name: "alice", home: root.path, relay: house.relay.url)
        try await house.settle(alice)
        try await alice.done("room", "create", "kitchen")
        try await alice.done("client", "stop")
        try await house.kill()

        let cut = try PowerCut(following: root.path)
        // Somebody else has the database open, so that the last to close it does not bring all of it to the disk.
        let reader = try alice.reader()
        let result = try await Program.result(
            of: "mildam-weakened",
            ["send", synchronous.rawValue, alice.folder, "kitchen", "kept?"],
            environment: cut.environment
        )
        try #require(result.output.contains("kept"), "\(result)")
        withExtendedLifetime(reader) {}
        let disk = try cut.restored()
        let later = Person(name: "alice", home: disk.path, relay: house.relay.url)
        let kept = try? await later.outboxTexts()
        try await later.run("client", "stop")
        #expect((kept == ["kept?"]) == (synchronous == .full), "\(String(describing: kept))")
        withExtendedLifetime((root, disk)) {}
    }

    /// Saved is on the disk, under its name.
    @Test(arguments: [[], ["--force"]])
    func savedSurvivesAPowerCut(_ more: [String]) async throws {
        let scene = try await FileScene.set()
        let target = try TemporaryFolder()
        let cut = try PowerCut(following: target.path)
        // The client writes it.
        try await scene.bob.done("client", "stop")
        let client = try Program(
            "mildam",
            ["client", "run", "--stay"],
            environment: cut.environment.merging(scene.bob.variables) { $1 }
        )
        try #require(try await client.line(with: "ready") != nil)
        let saved = try await Program.result(
            of: "mildam",
            ["save", "kitchen", "\(scene.number)", "-o", target.file("copy")] + more,
            environment: scene.bob.variables
        )
        expect(saved, 0)
        client.signal(SIGKILL)
        _ = try await client.end()
        let disk = try cut.restored()
        #expect(FileManager.default.contents(atPath: disk.file("copy")) == scene.content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["copy"])
    }
}

/// A relay that ran, its disk after the power cut, and what it had acknowledged.
private struct RelayScene {
    /// The relay's id.
    let relay: String
    /// What the disk holds.
    let disk: TemporaryFolder
    let home: TemporaryFolder
    let people: [Person]
    /// Those who made their accounts among the sends.
    let late: [Person]
    let room: RoomID
    /// What each message looks like.
    let sample: RoomMessage
    let burst: Burst.State
    let blob: BlobID
    /// How many bytes of the blob were acknowledged.
    let uploaded: Int
    let turn: Turn

    static func play(weakened: String?, goal: Int, content: [UInt8]) async throws -> RelayScene {
        let turn = await Turn.take()
        let root = try TemporaryFolder()
        let home = try TemporaryFolder()
        let cut = try PowerCut(following: root.path)
        let relay = try await RelayProcess.start(
            data: root.file("relay"),
            weakened: weakened,
            environment: cut.environment
        )
        let people = ["alice", "bob"].map { Person(name: $0, home: home.path, relay: relay.url) }
        for person in people { try await person.create() }
        try await people[0].done("room", "create", "kitchen")
        try await people[0].done("room", "invite", "kitchen", "bob")
        try await people[1].join("kitchen")
        let room = try await people[0].room("kitchen")
        // Whoever has said nothing changes their keys at a moment of its own, and the sample would be of an epoch before.
        try await people[1].done("send", "kitchen", "hello")
        let sample = try await RelayCaller(people[0]).lastText(of: room)

        let burst = Burst(goal: goal, like: sample)
        let uploads = Lock(0)
        let joined = Lock<[Person]>([])
        let blob = BlobID.random()
        try await withThrowingTaskGroup { group in
            for person in people + people {
                let caller = try await RelayCaller(person)
                group.addTask { await burst.send(through: caller, to: room) }
            }
            let uploader = try await RelayCaller(people[0])
            group.addTask {
                var offset = 0
                while offset < content.count {
                    let piece = Array(content[offset..<min(offset + 1_000, content.count)])
                    guard
                        let received = try? await uploader.put(
                            piece,
                            of: blob,
                            size: content.count,
                            offset: offset,
                            in: room
                        )
                    else { return }
                    offset = received
                    uploads.withLock { $0 = received }
                }
            }
            if weakened == nil {
                // The first one is waited for; the next may be cut off.
                let first = Person(name: "late-0", home: home.path, relay: relay.url)
                try await first.create()
                joined.withLock { $0.append(first) }
                group.addTask {
                    let next = Person(name: "late-1", home: home.path, relay: relay.url)
                    let made = try await next.run(
                        "account",
                        "create",
                        next.name,
                        "--password-file",
                        "-",
                        input: next.password + "\n"
                    )
                    if made.status == 0 { joined.withLock { $0.append(next) } }
                }
            }
            try await burst.reached()
            try await relay.kill()
            try await group.waitForAll()
        }
        return RelayScene(
            relay: relay.id,
            disk: try cut.restored(),
            home: home,
            people: people,
            late: joined.withLock { $0 },
            room: room,
            sample: sample,
            burst: burst.state,
            blob: blob,
            uploaded: uploads.withLock { $0 },
            turn: turn
        )
    }

    /// How many acknowledged messages a relay on this disk does not have.
    func missing(at relay: RelayProcess) async throws -> Int {
        let stored: [UInt64: [UInt8]]
        do {
            let messages = try await RelayCaller(people[0], at: relay.url).messages(of: room)
            stored = Dictionary(uniqueKeysWithValues: messages.map { ($0.number, Array($0.body)) })
        } catch MessengerError.refused {
            // The room, or the account, is gone with everything in it.
            return burst.acknowledged.count
        }
        return burst.acknowledged.count(where: { id, number in stored[number] != sample.body(ending: id.bytes) })
    }
}
