import Foundation
import HouseSupport
import MildamMessenger
import TestSupport
import Testing

/// What a command could not do has a code beside its sentence, for programs.
@Suite("Troubles have codes")
struct TroubleCodeTests {
    private struct Answer: Decodable {
        var trouble: String?
        var code: String?
    }

    private struct Examination: Decodable {
        var findings: [Finding]
    }

    private func answer<Value: Decodable>(
        _ type: Value.Type,
        _ person: Person,
        _ words: [String]
    ) async throws -> Value {
        let result = try await Program.result(of: "mildam", words + ["--json"], environment: person.variables)
        return try JSONDecoder().decode(type, from: Data(result.output.utf8))
    }

    @Test func theRelayIsAway() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        try await alice.done("send", "kitchen", "soup")
        let fine = try await answer(Answer.self, alice, ["read", "kitchen"])
        #expect(fine.trouble == nil && fine.code == nil)
        try await house.kill()
        let commands = [
            ["read", "kitchen"], ["room", "list"], ["room", "show", "kitchen"], ["room", "verify", "kitchen"],
        ]
        for words in commands {
            let away = try await answer(Answer.self, alice, words)
            #expect(away.trouble != nil && away.code == "unreachable", "\(words): \(away)")
        }
        let findings = try await answer(Examination.self, alice, ["doctor"]).findings
        #expect(findings.first { $0.step == .connection }?.code == "unreachable")
        #expect(findings.allSatisfy { ($0.verdict == .wrong) == ($0.code != nil) }, "\(findings)")
    }

    @Test func whoWasPutOut() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("room", "remove", "kitchen", "bob")
        try await waitUntil {
            try await answer(Answer.self, bob, ["read", "kitchen", "--offline"]).code == "no-member"
        }
    }
}
