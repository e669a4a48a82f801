import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// `mildam account renew-keys`, killed.
@Suite("New keys of a device, interrupted")
struct RenewalKillTests {
    /// Killed at each answer of the relay's, from the first to the last: the same command finishes, nothing is lost.
    @Test func killedAtEachStep() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice", at: proxy.url), house.person("bob"))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        try await house.room("attic", of: [alice, bob])
        var (resumed, steps) = (0, 0)
        var said: [String] = []
        while true {
            let killer = Killer(at: steps)
            proxy.tamper { _, _, answer in
                killer.answered()
                return answer
            }
            let renewing = try alice.start("account", "renew-keys")
            killer.watch(renewing)
            let end = try await renewing.end()
            proxy.behave()
            guard end.status != 0 else { break }
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
        #expect(steps > 8 && resumed > 4, "\(steps) steps, \(resumed) resumed")
        for person in [alice, bob] {
            #expect(try await person.texts("kitchen") == said)
            for room in ["kitchen", "attic"] {
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

/// Ends a program when the relay has answered it so many times, before the answer is heard.
private final class Killer: Sendable {
    private let state: Lock<(left: Int, program: pid_t?)>

    init(at count: Int) { state = Lock((count, nil)) }

    func watch(_ program: Program) {
        state.withLock { state in
            state.program = program.identifier
            if state.left < 0 { kill(program.identifier, SIGKILL) }
        }
    }

    func answered() {
        state.withLock { state in
            state.left -= 1
            if state.left < 0, let program = state.program { kill(program, SIGKILL) }
        }
    }
}
