import Foundation
import Glibc
import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamWire
import TestSupport
import Testing

/// Invitations of somebody whom bob knows that are none: they come through a real relay to his real client.
@Suite("Welcomes that do not open", .timeLimit(.minutes(4)))
struct BadWelcomeTests {
    private static let words = "No key of this device opens the invitation; it comes into the room by itself."

    /// bob, his client, and what it tells; alice, with whom he is in the kitchen; and mallory, whom he knows.
    private struct Scene {
        let house: House
        let alice, bob, carol: Person
        let client: RunningClient
        let watch: Program
        let mallory: RawMember

        init() async throws {
            let house = try await House.open()
            let people = try await house.people("alice", "bob", "carol", "mallory")
            let bob = people[1]
            try await house.room("kitchen", of: [people[0], bob])
            try await bob.done("contact", "add", "mallory")
            try await bob.done("client", "stop")
            let client = try await RunningClient.start(bob)
            let watch = try Program("mildam", ["watch"], environment: bob.variables)
            let connected = try await watch.complaint(with: "connected")
            try #require(connected != nil)
            mallory = try await RawMember(people[3])
            (alice, self.bob, carol) = (people[0], bob, people[2])
            (self.house, self.client, self.watch) = (house, client, watch)
        }

        /// bob is told why an invitation does not open.
        func expectTold(
            of room: RoomID,
            _ attack: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let told = try await watch.complaint(with: "\(room): \(BadWelcomeTests.words)")
            #expect(told != nil, "\(attack)", sourceLocation: sourceLocation)
        }

        /// The room that bob is in goes on, and he comes into the other one by himself, as far as one does who has not accepted.
        func expectOn(
            after attack: String,
            in room: RoomID,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await alice.done("send", "kitchen", "after \(attack)")
            let heard = try await watch.line(with: "after \(attack)")
            #expect(heard != nil, "\(attack)", sourceLocation: sourceLocation)
            try await RunningClient.until(sourceLocation) {
                guard let row = try await client.row(of: room) else { return false }
                return row.standing == .invited && row.warning == nil
            }
        }

        /// It is the same client still, and bob says something.
        func end() async throws {
            try await bob.done("send", "kitchen", "and on")
            #expect(try await alice.texts("kitchen").last == "and on")
            watch.signal(SIGTERM)
            let result = try await watch.end()
            #expect(!result.errors.contains("trying again"), "\(result)")
            _ = try await client.link.ask(.status)
            try await client.stop()
        }
    }

    /// One after the other: each is told, and none stops anything.
    @Test func told() async throws {
        let scene = try await Scene()
        for attack in BadWelcome.allCases {
            let room = RoomID.random()
            let (change, welcome) = try await attack.change(
                by: scene.mallory,
                bringing: scene.bob,
                or: scene.carol,
                into: room
            )
            try await scene.mallory.send(change, MLSMessage.welcome(welcome).wireBytes, to: room)
            try await scene.expectTold(of: room, attack.rawValue)
            try await scene.expectOn(after: attack.rawValue, in: room)
        }
        try await scene.end()
    }

    /// What is for nobody who comes in, or no Welcome, the relay does not take. A good one opens once: after bob was put out, it
    /// opens nothing.
    @Test func repeated() async throws {
        let scene = try await Scene()
        let (mallory, room) = (scene.mallory, RoomID.random())
        var group = try mallory.group(for: room)
        try await mallory.create(room, group)
        let keyPackage = try await mallory.keyPackage(of: scene.bob, for: room)
        let carols = try await mallory.keyPackage(of: scene.carol, for: room)
        var aside = try mallory.group(for: room)
        let elsewhere = try mallory.change(&aside, [.add(carols)])
        let change = try mallory.change(&group, [.add(keyPackage)])
        let stray = MLSMessage.welcome(try #require(elsewhere.welcome)).wireBytes
        let welcome = MLSMessage.welcome(try #require(change.welcome)).wireBytes
        let refused: [[UInt8]] = [[], stray, Array(welcome.dropLast()), welcome + [0]]
        for bad in refused {
            let code = try await mallory.refusal(of: change, bad, to: room)
            #expect(code == .invalidCommit, "\(bad.count) bytes")
        }

        try await mallory.send(change, welcome, to: room)
        try await RunningClient.until { try await scene.client.row(of: room)?.standing == .invited }
        let bobs = group.publicGroup.members.first { $0.index != group.ownLeaf }
        let leaf = try #require(bobs?.index)
        let removal = try mallory.change(&group, [.remove(leaf)])
        try await mallory.send(removal, [], to: room)
        try await RunningClient.until { try await scene.client.row(of: room)?.standing != .invited }
        let again = try mallory.change(&group, [.add(keyPackage)])
        try await mallory.send(again, welcome, to: room)
        try await scene.expectTold(of: room, "repeated")
        try await scene.expectOn(after: "repeated", in: room)
        try await scene.end()
    }
}
