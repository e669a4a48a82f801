import Foundation
import HouseSupport
import MildamClientAPI
import MildamMessenger
import TestSupport
import Testing

/// `mildam doctor` while the profile's client runs: it is the client that looks, and it goes on.
@Suite("Doctor, through the profile's client")
struct ClientDoctorTests {
    private struct Answer: Decodable {
        var findings: [Finding]
    }

    @Test func theClientLooksAndKeepsTheProfile() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (try await ProfileClient(people[0]), try await ProfileClient(people[1]))
        let room = try await alice.make("kitchen")
        try await alice.bring(bob, to: room)
        let boot = alice.link.hello.boot
        let json = try await people[0].run("doctor", "--json")
        expect(json, 0)
        let findings = try JSONDecoder().decode(Answer.self, from: Data(json.output.utf8)).findings
        #expect(findings.map(\.step) == Finding.Step.allCases)
        #expect(findings.allSatisfy { $0.verdict == .ok }, "\(findings)")
        expect(try await people[0].run("doctor"), 0, "1 joined, nothing is wrong with any")
        // The same client goes on, and its windows stay open.
        try await alice.say("still here", in: room)
        #expect(try ClientLink(at: people[0].folder + "/agent/client").hello.boot == boot)
        try await house.kill()
        expect(try await people[0].run("doctor"), 7, "nothing is wrong with any")
        for client in [alice, bob] { try await client.stop() }
        // Without a client it looks by itself, and starts none.
        expect(try await people[0].run("doctor"), 7, "1 joined, nothing is wrong with any")
        expect(try await people[0].run("client", "status"), 0, "no client runs")
        withExtendedLifetime(house) {}
    }
}
