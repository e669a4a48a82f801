import Foundation
import Glibc
import HouseSupport
import MildamClientAPI
import MildamMessenger
import MildamSystem
import TestSupport
import Testing

/// Somebody is put out of a room and brought in again, and the client that does it is killed on the way.
@Suite("Members put out and brought in by a client that is killed", .timeLimit(.minutes(5)))
struct MembershipKillTests {
    /// Runs a command of rooms, and kills the profile's client once the relay has answered it so many times.
    private func interrupt(
        after answers: Int,
        _ words: [String],
        _ person: Person,
        _ proxy: TamperingProxy
    ) async throws {
        let program = try person.start("client", "run", "--stay")
        defer { program.signal(SIGKILL) }
        try #require(try await program.line(with: "ready") != nil)
        let link = try ClientLink(at: person.clientSocket)
        try await RunningClient.until {
            guard case .status(let status) = try await link.ask(.status) else { return false }
            return status.isConnected
        }
        let killer = ClientKiller(of: program.identifier, after: answers)
        proxy.tamper { _, _, answer in
            killer.answered()
            return answer
        }
        _ = try await Program.result(of: "mildam", ["room"] + words, environment: person.variables)
        // What the client does by itself afterwards is interrupted, too.
        for _ in 0..<40 where !killer.hasKilled { try await Task.sleep(for: .milliseconds(50)) }
        program.signal(SIGKILL)
        _ = try await program.end()
        proxy.behave()
    }

    /// That these are in one group, and that nobody else is.
    private func expectMembers(_ people: [Person], but other: Person? = nil) async throws {
        let alice = people[0]
        try await RunningClient.until {
            let shown = try await alice.done("room", "show", "kitchen")
            return people.allSatisfy { shown.contains($0.name) } && other.map { !shown.contains($0.name) } ?? true
        }
        try await RunningClient.until {
            var digits: Set<String> = []
            for person in people { digits.insert(try await person.done("room", "verify", "kitchen")) }
            return digits.count == 1
        }
    }

    @Test(
        "Wished for again, it is so, once; what is said then is read by those who are in it, and by nobody else",
        arguments: Count.of(few: 0, full: 1) == 1 ? Array(0..<8) : [1, 3]
    )
    func killed(_ answers: Int) async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let alice = house.person("alice", at: proxy.url)
        let (bob, carol) = (house.person("bob"), house.person("carol"))
        try await house.settle(alice, bob, carol)
        try await house.room("kitchen", of: [alice, bob, carol])
        try await alice.done("send", "kitchen", "before")
        #expect(try await carol.texts("kitchen") == ["before"])
        try await alice.done("client", "stop")

        try await interrupt(after: answers, ["remove", "kitchen", "carol"], alice, proxy)
        try await alice.run("room", "remove", "kitchen", "carol")
        try await expectMembers([alice, bob], but: carol)
        try await alice.done("send", "kitchen", "without carol")
        let read = try await carol.run("read", "kitchen")
        #expect(read.output.contains("before") && !read.output.contains("without carol"), "\(read)")
        try await alice.done("client", "stop")

        try await interrupt(after: answers, ["invite", "kitchen", "carol"], alice, proxy)
        try await alice.run("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")
        try await expectMembers([alice, bob, carol])
        try await carol.done("send", "kitchen", "back again")
        let texts = ["before", "without carol", "back again"]
        for person in [alice, bob] {
            let messages = try await person.messages("kitchen")
            #expect(messages.compactMap { $0.kind == "text" ? $0.text : nil } == texts, "\(person.name)")
            #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
        }
        #expect(try await carol.texts("kitchen") == ["before", "back again"])
        for person in [alice, bob, carol] { try await person.run("client", "stop") }
        proxy.stop()
        withExtendedLifetime(house) {}
    }
}

/// Ends a program when the relay has answered it so many times, before the answer is heard.
private final class ClientKiller: Sendable {
    private let left: Lock<Int>
    private let program: pid_t

    init(of program: pid_t, after count: Int) {
        self.program = program
        left = Lock(count)
    }

    var hasKilled: Bool { left.withLock { $0 < 0 } }

    func answered() {
        left.withLock { left in
            left -= 1
            if left == -1 { kill(program, SIGKILL) }
        }
    }
}
