import Foundation
import HouseSupport
import TestSupport
import Testing

/// An independent client attacks bob, while he, alice and carol go on as people do: what they say arrives, nobody is
/// taken for somebody else, and bob can say who it is and be rid of them.
///
/// The full time is that of programs as they are released (Scripts/prove.d/16-attacks); elsewhere a moment of an attack
/// shows that bob's commands say what is right.
@Suite("Attacks on a client: whom it believes, and what it spends", .enabled(if: PythonPeer.isExpected))
struct ConsentAttackTests {
    /// The attacks of each family, the one that was found first: it takes longest.
    private static let families = [
        ["item-pinned", "item-misnamed", "item-signature", "item-malformed", "item-elsewhere", "item-ahead"],
        ["requests-rooms", "requests-strangers", "requests-names", "requests-rosters"],
        ["intake-fellow", "intake-stranger", "intake-network", "intake-both"],
        ["flood-texts", "flood-long", "flood-renewals", "flood-guests", "flood-rubbish"],
        ["told-roster", "told-later", "told-many", "told-victim", "told-account", "told-fellow"],
    ]

    private static let told = AttackedHouse.isFull ? families[4] : ["told-fellow"]
    private static let others =
        AttackedHouse.isFull
        ? families[..<4].flatMap(\.self) : ["item-pinned", "requests-names", "intake-fellow", "flood-guests"]

    /// What runs at once: where attacks take their time two, each on a bob of its own.
    private static func inPairs(_ names: [String]) -> [[String]] {
        guard AttackedHouse.isFull else { return names.map { [$0] } }
        // Those that take longest beside each other.
        let names = names.sorted { length(of: $0).seconds > length(of: $1).seconds }
        return stride(from: 0, to: names.count, by: 2).map { Array(names[$0...].prefix(2)) }
    }

    /// How long an attack lasts, in seconds, and of how much there may be.
    private static func length(of attack: String) -> (seconds: Int, most: Int) {
        guard AttackedHouse.isFull else { return (2, 60) }
        return (families.contains { $0.first == attack } ? 30 : 10, .max)
    }

    @Test("the attacks are those of the program that attacks")
    func all() throws {
        let result = try Program.run(
            "/usr/bin/python3",
            [Vectors.packageFolder + "/Tests/Peers/consent_attacks.py", "list"]
        )
        #expect(result.output.split(separator: "\n").map(String.init) == Self.families.flatMap(\.self), "\(result)")
        #expect(Self.families.allSatisfy { $0.count >= 4 }, "as it was found, and three variants")
    }

    @Test("bob's commands are right, and in time; he names who it is, and is rid of them", arguments: inPairs(others))
    func attacks(_ names: [String]) async throws {
        try await Self.atOnce(names, attack)
    }

    private func attack(_ name: String) async throws {
        let scene = try await AttackedHouse(name.hasPrefix("intake-") ? ["--no-rate-limits"] : [])
        let attacker = try await underAttack(name, scene)
        try await Self.isRid(of: attacker, scene)
        try await Self.goesOn(scene)
    }

    @Test("nothing that is told becomes a pin, or stands in anybody's way", arguments: inPairs(told))
    func tellings(_ names: [String]) async throws {
        try await Self.atOnce(names, telling)
    }

    private static func atOnce(
        _ names: [String],
        _ attack: @Sendable @escaping (String) async throws -> Void
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for name in names { group.addTask { try await attack(name) } }
        }
    }

    private func telling(_ name: String) async throws {
        let scene = try await AttackedHouse()
        let attacker = try await underAttack(name, scene)
        if attacker.handle == nil {
            // bob believes the stranger, and joins those of the rooms that he can.
            for request in try await scene.requests().requests.filter({ $0.claimed.hasPrefix("mallory") }).prefix(3) {
                let accepted = try await scene.bob.run("request", "accept", "\(request.number)", "--join")
                #expect([0, 6].contains(accepted.status), "\(accepted)")
            }
            // A room that gives his own name to another is none that he can join.
            if name != "told-victim" { expect(try await scene.bob.run("room", "list", "--offline"), 0, "lair") }
        }
        if ["told-roster", "told-later", "told-many", "told-fellow"].contains(name) {
            #expect(try await scene.contacts().contains { $0.handle == "bank" && $0.state == "told" })
        }
        try await Self.knowsNobodyFalsely(scene)
        if attacker.handle != nil { try await Self.isRid(of: attacker, scene) }
        let bank = scene.house.person("bank")
        try await scene.house.settle(bank)
        // The real ones can be brought in, and are known by their own keys from then on.
        try await scene.bob.done("room", "create", "vault")
        for person in [scene.alice, bank] { try await scene.bob.done("room", "invite", "vault", person.name) }
        for person in [scene.alice, bank] { try await person.join("vault") }
        try await scene.bob.done("send", "vault", "for the real ones")
        for person in [scene.alice, bank] { #expect(try await person.texts("vault") == ["for the real ones"]) }
        let fingerprint = try await bank.account().fingerprint
        #expect(try await scene.pins().filter { $0.handle == "bank" }.map(\.fingerprint) == [fingerprint])
        try await Self.knowsNobodyFalsely(scene)
        try await Self.goesOn(scene)
    }

    /// Lets somebody attack bob while he is at work, and alice and carol write to him behind what the attacker sent.
    private func underAttack(_ name: String, _ scene: AttackedHouse) async throws -> ClientAttacker {
        try await Self.atWork(scene, saying: "before")
        let before = scene.clock.take()
        let (seconds, most) = Self.length(of: name)
        let attacker = try await scene.attack(name, seconds: seconds, most: most)
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
        #expect(answers["201", default: 0] > 0, "there was no attack: \(answers)")
        try await Self.atWork(scene, saying: "after")
        let under = scene.clock.take()
        #expect(try await scene.alice.texts("attic") == ["before"] + (1...rounds).map { "meanwhile \($0)" } + ["after"])
        guard AttackedHouse.isFull else { return attacker }
        print("figure: attack on a client, \(name): commands before \(before.line); under attack \(under.line)")
        print("figure: attack on a client, \(name): the attacker's answers \(answers.sorted { $0.key < $1.key })")
        #expect(under.slowest < AttackedHouse.patience, "\(name): \(under.line)")
        return attacker
    }

    /// What bob does all the time.
    private static func atWork(_ scene: AttackedHouse, saying text: String) async throws {
        try await scene.timed("room", "list")
        try await scene.timed("send", "attic", text)
        expect(try await scene.timed("read", "attic"), 0, text)
        try await scene.timed("request", "list")
        try await scene.timed("contact", "list")
        // Where the attacker is as well, the room may go on faster than he can follow, or name members that the relay
        // does not have: a text waits then. What was refused is said to be.
        try await scene.timed("send", "kitchen", text, statuses: [0, 6, 7])
        try await scene.timed("read", "kitchen", statuses: [0, 5, 6, 7])
    }

    /// bob says who it is, and hears no more of them.
    private static func isRid(of attacker: ClientAttacker, _ scene: AttackedHouse) async throws {
        let bob = scene.bob
        if let handle = attacker.handle {
            expect(try await bob.run("room", "show", "kitchen", "--offline"), 0, handle)
            // Who stands on one list only is put out by a mending, which a removal would not do by itself.
            try await bob.done("room", "mend", "kitchen")
            if try await bob.done("room", "show", "kitchen").contains(handle) {
                try await bob.done("room", "remove", "kitchen", handle)
            }
            try await bob.done("request", "block", handle)
            #expect(try await scene.requests().blocked == [handle])
            try await bob.done("send", "kitchen", "among ourselves")
            #expect(try await scene.alice.texts("kitchen").last == "among ourselves")
            return
        }
        // Only who looks learns that a handle is another's; to block is about the account that sent it, under any name.
        let asking = try await scene.requests().requests.filter { $0.claimed != "carol" }
        let posing = asking.filter { $0.claimed == "alice" }
        #expect(!asking.isEmpty && asking.allSatisfy { $0.claimed == "alice" || $0.claimed.hasPrefix("mallory") })
        if let first = posing.first { expect(try await bob.run("request", "show", "\(first.number)"), 6, "refused") }
        while let next = try await scene.requests().requests.first(where: { $0.claimed != "carol" }) {
            try await bob.done("request", "block", "\(next.number)")
            #expect(try await scene.requests().blocked.contains(next.claimed))
        }
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
        // Whatever was done in her name: alice can ask bob in again.
        try await scene.alice.done("room", "create", "porch")
        try await scene.alice.done("room", "invite", "porch", "bob")
        expect(try await scene.bob.run("room", "list"), 0, "porch")
        try await knowsNobodyFalsely(scene)
    }

    /// Whom bob has a key of, beyond what he was told, is who they are.
    private static func knowsNobodyFalsely(_ scene: AttackedHouse) async throws {
        var genuine: [String: String] = [:]
        for person in [scene.alice, scene.bob, scene.carol] {
            genuine[person.name] = try await person.account().fingerprint
        }
        let pins = try await scene.pins()
        #expect(pins.contains { $0.handle == "alice" })
        for pin in pins where !pin.handle.hasPrefix("mallory") && pin.handle != "bank" {
            #expect(pin.fingerprint == genuine[pin.handle], "\(pin)")
        }
    }
}
