import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// bob, whom mallory attacks. alice is his friend, with whom he shares the rooms attic and kitchen, which is his; carol
/// is a stranger who means well.
struct AttackedHouse {
    let house: House
    let alice, bob, carol, mallory: Person
    /// What bob's commands took.
    let clock = CommandClock()

    /// Whether attacks last as long as they do in proofs (Scripts/prove.d/16-attacks), where bob's commands are timed.
    static let isFull = Build.isOptimised && ProcessInfo.processInfo.environment["MILDAM_PROVE"] != nil

    /// The longest that a command may take, as programs are released.
    static let patience = Duration.seconds(1)

    /// - Parameter options: what the relay is started with besides.
    init(_ options: [String] = []) async throws {
        house = try await House.open(options)
        let people = try await house.people("alice", "bob", "carol", "mallory")
        (alice, bob, carol, mallory) = (people[0], people[1], people[2], people[3])
        try await house.room("attic", of: [alice, bob])
        try await house.room("kitchen", of: [bob, alice])
    }

    /// Runs a command of bob's, holds its end against the statuses that it may have, and notes how long it took.
    @discardableResult
    func timed(
        _ arguments: String...,
        statuses: Set<Int32> = [0],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Program.Result {
        let start = ContinuousClock.now
        let result = try await Program.result(of: "mildam", arguments, environment: bob.variables)
        clock.note(.now - start, arguments.prefix(3).joined(separator: " "))
        #expect(statuses.contains(result.status), "\(arguments): \(result)", sourceLocation: sourceLocation)
        return result
    }

    /// Starts an attack on bob, and returns once it has begun. Bob himself brings a fellow member into the kitchen, whom he
    /// takes for a friend.
    func attack(_ attack: RoomAttack, seconds: Int = 60, most: Int = 1) async throws -> RoomAttacker {
        var (kitchen, sample): (RoomID?, RoomMessage?) = (nil, nil)
        if attack.isOfFellow {
            let room = try await fellow()
            (kitchen, sample) = (room, try await RelayCaller(bob).lastText(of: room))
        }
        return try await RoomAttacker(attack, by: mallory, in: kitchen, like: sample, seconds: seconds, most: most)
    }

    /// mallory, who comes into the kitchen and says so.
    ///
    /// - Returns: the room.
    func fellow() async throws -> RoomID {
        try await bob.done("contact", "add", mallory.name)
        try await bob.done("room", "invite", "kitchen", mallory.name)
        try await mallory.join("kitchen")
        // Whoever has said nothing changes their keys at a moment of its own, and what mallory copies would be of an epoch before.
        try await alice.done("send", "kitchen", "welcome")
        try await mallory.done("send", "kitchen", "hello")
        return try await mallory.room("kitchen")
    }

    /// What bob has of people, beyond what he was told.
    func pins() async throws -> [Contact] {
        try await contacts().filter { $0.state != "told" }
    }

    /// Whom bob's profile knows of.
    func contacts() async throws -> [Contact] {
        let answer = try await bob.done("contact", "list", "--json")
        return try JSONDecoder().decode([String: [Contact]].self, from: Data(answer.utf8))["contacts"] ?? []
    }

    /// What bob is asked, and whom he blocked.
    func requests() async throws -> Requests {
        try JSONDecoder().decode(Requests.self, from: Data(try await bob.done("request", "list", "--json").utf8))
    }

    /// As `mildam contact list --json` shows it.
    struct Contact: Decodable {
        var handle: String
        var fingerprint: String
        var state: String
    }

    /// As `mildam request list --json` shows it.
    struct Requests: Decodable {
        var requests: [Request]
        var blocked: [String]

        struct Request: Decodable {
            var number: Int
            var claimed: String?
        }
    }
}
