import Foundation
import HouseSupport
import TestSupport
import Testing

/// mallory attacks bob, while he, alice and carol go on as people do: what they say arrives, nobody is taken for somebody
/// else, and bob can say who it is and be rid of them.
///
/// The full time is that of programs as they are released (Scripts/prove.d/16-attacks); elsewhere a moment of an attack
/// shows that bob's commands say what is right.
@Suite("Attacks on a client: whom it believes, and what it spends")
struct ConsentAttackTests {
    /// How long an attack lasts, in seconds, and of how much there may be.
    private static let length = AttackedHouse.isFull ? (seconds: 30, most: Int.max) : (seconds: 2, most: 60)

    @Test(
        "bob's commands are right, and in time; he names who it is, and is rid of them",
        arguments: Cases.drawn(2, of: RoomAttack.allCases, for: "attacks on a client")
    )
    func attacks(_ attack: RoomAttack) async throws {
        let scene = try await AttackedHouse()
        try await underAttack(attack, scene)
        if attack.isOfFellow {
            try await Self.isRidOfFellow(scene)
        } else {
            try await Self.isRidOfStranger(scene)
        }
        try await Self.goesOn(scene)
    }

    /// Lets mallory attack bob while he is at work, and alice and carol write to him behind what she sent.
    private func underAttack(_ attack: RoomAttack, _ scene: AttackedHouse) async throws {
        try await Self.atWork(scene, saying: "before")
        let before = scene.clock.take()
        let (seconds, most) = Self.length
        let attacker = try await scene.attack(attack, seconds: seconds, most: most)
        for (person, room) in [(scene.alice, "loft"), (scene.carol, "cellar")] {
            try await person.done("room", "create", room)
            try await person.done("room", "invite", room, "bob")
        }
        var rounds = 0
        repeat {
            rounds += 1
            try await Self.atWork(scene, saying: "meanwhile \(rounds)")
            // As a person who is in a hurry.
            if AttackedHouse.isFull { try await Task.sleep(for: .milliseconds(500)) }
        } while attacker.isRunning
        let answers = try await attacker.answers()
        #expect(answers.taken > 0, "there was no attack: \(answers)")
        try await Self.atWork(scene, saying: "after")
        let under = scene.clock.take()
        #expect(try await scene.alice.texts("attic") == ["before"] + (1...rounds).map { "meanwhile \($0)" } + ["after"])
        guard AttackedHouse.isFull else { return }
        print("figure: attack on a client, \(attack): commands before \(before.line); under attack \(under.line)")
        print("figure: attack on a client, \(attack): the attacker's answers \(answers)")
        #expect(under.slowest < AttackedHouse.patience, "\(attack): \(under.line)")
    }

    /// What bob does all the time.
    private static func atWork(_ scene: AttackedHouse, saying text: String) async throws {
        try await scene.timed("room", "list")
        try await scene.timed("send", "attic", text)
        expect(try await scene.timed("read", "attic"), 0, text)
        try await scene.timed("request", "list")
        try await scene.timed("contact", "list")
        // Where the attacker is as well, the room may go on faster than he can follow: a text waits then. What was refused
        // is said to be.
        try await scene.timed("send", "kitchen", text, statuses: [0, 7])
        try await scene.timed("read", "kitchen", statuses: [0, 5, 7])
    }

    /// bob says who it is, puts them out, and hears no more of them.
    private static func isRidOfFellow(_ scene: AttackedHouse) async throws {
        let (bob, handle) = (scene.bob, scene.mallory.name)
        expect(try await bob.run("room", "show", "kitchen", "--offline"), 0, handle)
        try await bob.done("room", "remove", "kitchen", handle)
        try await bob.done("request", "block", handle)
        #expect(try await scene.requests().blocked == [handle])
        try await bob.done("send", "kitchen", "among ourselves")
        #expect(try await scene.alice.texts("kitchen").last == "among ourselves")
        #expect(try await !bob.done("room", "show", "kitchen").contains(handle))
    }

    /// To block is about the account that asked, under any name.
    private static func isRidOfStranger(_ scene: AttackedHouse) async throws {
        let (bob, handle) = (scene.bob, scene.mallory.name)
        let asking = try await scene.requests().requests.filter { $0.claimed != "carol" }
        #expect(!asking.isEmpty && asking.allSatisfy { $0.claimed == handle }, "\(asking)")
        let first = try #require(asking.first)
        try await bob.done("request", "block", "\(first.number)")
        let left = try await scene.requests()
        #expect(left.blocked.contains(handle) && !left.requests.contains { $0.claimed == handle }, "\(left)")
    }

    /// What was honest came through, and goes on.
    private static func goesOn(_ scene: AttackedHouse) async throws {
        expect(try await scene.bob.run("room", "list"), 0, "loft", "invited by alice")
        try await scene.bob.done("room", "join", "loft")
        try await scene.bob.done("request", "accept", "carol", "--join")
        for (person, room) in [(scene.alice, "loft"), (scene.carol, "cellar")] {
            try await person.done("send", room, "here I am")
            #expect(try await scene.bob.texts(room) == ["here I am"])
        }
        // Whatever was done to him: alice can ask bob in again.
        try await scene.alice.done("room", "create", "porch")
        try await scene.alice.done("room", "invite", "porch", "bob")
        expect(try await scene.bob.run("room", "list"), 0, "porch")
        try await knowsNobodyFalsely(scene)
    }

    /// Whom bob has a key of, beyond what he was told, is who they are.
    private static func knowsNobodyFalsely(_ scene: AttackedHouse) async throws {
        var genuine: [String: String] = [:]
        for person in [scene.alice, scene.bob, scene.carol, scene.mallory] {
            genuine[person.name] = try await person.account().fingerprint
        }
        let pins = try await scene.pins()
        #expect(pins.contains { $0.handle == "alice" })
        for pin in pins { #expect(pin.fingerprint == genuine[pin.handle], "\(pin)") }
    }
}
