import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// `mildam account renew-keys`, killed.
@Suite("New keys of a device, interrupted")
struct RenewalKillTests {
    /// The command and the profile's client are killed at each answer of the relay's, from the first to the last, and at those to the
    /// list of devices and to each room's commit: the same command finishes, nothing is lost.
    @Test func killedAtEachStep() async throws {
        // It renews more often than a room takes commits of one account.
        let house = try await House.open(["--no-rate-limits"])
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice", at: proxy.url), house.person("bob"))
        try await house.settle(alice, bob)
        let rooms = ["kitchen", "attic"]
        for room in rooms { try await house.room(room, of: [alice, bob]) }
        var (resumed, steps) = (0, 0)
        var said: [String] = []
        func isKilled(by killer: Killer) async throws -> Bool {
            proxy.tamper { path, request, answer in
                killer.answered("\(request.method) \(path)")
                return answer
            }
            let renewing = try alice.start("account", "renew-keys")
            killer.watch(renewing)
            let end = try await renewing.end()
            killer.stop()
            proxy.behave()
            return end.status != 0
        }
        func goOn() async throws {
            steps += 1
            try #require(steps < 100, "it never ends")
            // Others may write meanwhile, and alice, too.
            if steps % 3 == 0 {
                try await alice.letAccessEnd()
                try await alice.done("send", "kitchen", "between \(steps)")
                said.append("between \(steps)")
            }
            try await bob.done("send", "kitchen", "bob \(steps)")
            said.append("bob \(steps)")
            let isRenewing = try await alice.account().isRenewing
            let again = try await alice.run("account", "renew-keys", "--json")
            expect(again, 0, #""held":[]"#, #""isResumed":\#(isRenewing)"#)
            if isRenewing { resumed += 1 }
            #expect(try await alice.offered() == nil)
            try await alice.done("send", "kitchen", "alice \(steps)")
            said.append("alice \(steps)")
        }
        // In small counts at every fifth, from one on that is drawn.
        let stride = Count.of(few: 5, full: 1)
        var generator = Seed.generator(for: "answers to a renewal")
        var answers = Int.random(in: 0..<stride, using: &generator)
        while try await isKilled(by: Killer(of: alice, after: answers)) {
            answers += stride
            try await goOn()
        }
        #expect(answers > 8)
        var requests = ["put /v1/accounts/alice/devices"]
        for room in rooms { requests.append("post /v1/rooms/\(try await alice.room(room))/group/messages") }
        for (place, request) in requests.enumerated() {
            let before = resumed
            #expect(try await isKilled(by: Killer(of: alice, at: request)), "there was no \(request)")
            try await goOn()
            #expect(
                (resumed > before) == (place == 0),
                "the list is not acknowledged, or the rooms have not what it says"
            )
        }
        for person in [alice, bob] {
            #expect(try await person.texts("kitchen") == said)
            for room in rooms {
                let messages = try await person.messages(room)
                #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
            }
        }
    }

    /// Killed at any moment.
    @Test func killedAnywhere() async throws {
        var random = Seed.generator(for: "kill the renewal")
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let start = ContinuousClock.now
        try await alice.done("account", "renew-keys")
        let whole = start.duration(to: .now)
        for index in 0..<Count.of(few: 8, full: 200) {
            let renewing = try alice.start("account", "renew-keys")
            try await Task.sleep(for: whole * Double.random(in: 0...1.1, using: &random))
            renewing.signal(SIGKILL)
            _ = try await renewing.end()
            try await alice.done("send", "kitchen", "\(index)")
            // Who has not looked for more than 32 lists has to compare fingerprints anew.
            if index % 16 == 0 { try await bob.done("read", "kitchen") }
        }
        try await alice.done("account", "renew-keys")
        let messages = try await bob.messages("kitchen")
        #expect(messages.count(where: { $0.kind == "text" }) == Count.of(few: 8, full: 200))
        #expect(messages.allSatisfy { $0.refused == nil }, "\(messages)")
    }
}

/// Ends a program and its profile's client when the relay has answered, before the answer is heard.
private final class Killer: Sendable {
    private let person: Person
    /// The request whose answer it is; `nil` for whatever it is.
    private let request: String?
    private let state: Lock<(left: Int, program: pid_t?, isOver: Bool)>

    /// - Parameter count: how many answers are heard before.
    init(of person: Person, after count: Int) {
        self.person = person
        request = nil
        state = Lock((count, nil, false))
    }

    /// - Parameter request: the method and the path.
    init(of person: Person, at request: String) {
        self.person = person
        self.request = request
        state = Lock((0, nil, false))
    }

    func watch(_ program: Program) {
        state.withLock { state in
            state.program = program.identifier
            if state.left < 0 { kill(program.identifier) }
        }
    }

    /// Whom it was about to kill is killed by now, and nobody is from here on.
    func stop() { state.withLock { $0.isOver = true } }

    func answered(_ request: String) {
        guard self.request ?? request == request else { return }
        state.withLock { state in
            state.left -= 1
            if !state.isOver, state.left < 0, let program = state.program { kill(program) }
        }
    }

    private func kill(_ program: pid_t) {
        Glibc.kill(program, SIGKILL)
        person.killClient()
    }
}
