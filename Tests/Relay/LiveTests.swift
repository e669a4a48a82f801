import Foundation
import MildamIdentity
import MildamJOSE
import MildamMLS
import MildamRelayAPI
import MildamStorage
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Live delivery", .timeLimit(.minutes(2)))
struct LiveTests {
    @Test("a subscription catches up, then goes on, without a gap")
    func catchesUp() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        for index in 0..<20 { _ = try await alice.say("\(index)", in: room) }
        var socket = try await Socket(alice)
        // More comes in while it catches up.
        async let more: Void = {
            for index in 20..<60 { _ = try await alice.say("\(index)", in: room) }
        }()
        try await socket.say(.subscribe(room: room.id, from: 3))
        #expect(try await socket.numbers(58) == Array(3...60))
        try await more
        try await socket.say(.unsubscribe(room: room.id))
        try await socket.say(.subscribe(room: room.id, from: 60))
        #expect(try await socket.numbers(1) == [60])
        await relay.server.stop()
    }

    @Test("who is added hears of the mailbox, and can follow from there on, not from before")
    func membership() async throws {
        let relay = try TestRelay()
        let alice = try await GroupMember("alice", on: relay)
        let bob = try await GroupMember("bob", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.say("before", in: &group, room, epoch: 0).status == 201)
        var socket = try await Socket(bob.person)
        try await socket.say(.subscribe(room: room, from: 1))
        #expect(try await socket.next() == .removed(room: room))
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        #expect(try await socket.next() == .mailbox(next: 2))
        try await socket.say(.subscribe(room: room, from: 1))
        #expect(try await socket.next() == .behind(room: room, from: 2))
        try await socket.say(.subscribe(room: room, from: 2))
        #expect(try await socket.numbers(1) == [2])
        await relay.server.stop()
    }

    @Test("a removal reaches the open socket before anything else of the room")
    func removal() async throws {
        let relay = try TestRelay()
        let alice = try await GroupMember("alice", on: relay)
        let bob = try await GroupMember("bob", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.say("before", in: &group, room, epoch: 0).status == 201)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        var socket = try await Socket(bob.person)
        try await socket.say(.subscribe(room: room, from: 2))
        #expect(try await socket.numbers(1) == [2])
        let out = try alice.commit(&group, removing: [LeafIndex(rawValue: 1)])
        #expect(try await alice.send(out, to: room, epoch: 1).status == 201)
        try group.mergeStagedCommit()
        #expect(try await alice.say("secret", in: &group, room, epoch: 2).status == 201)
        #expect(try await socket.next() == .removed(room: room))
        try await socket.say(.subscribe(room: room, from: 3))
        #expect(try await socket.next() == .removed(room: room))
        await relay.server.stop()
    }

    @Test("a socket ends when its token runs out, and when its session does")
    func ends() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        var socket = try await Socket(alice)
        #expect(try await alice.ask(.delete, "/v1/sessions/current").status == 204)
        #expect(try await socket.next() == nil)
        #expect(socket.connection.closing?.code == 4401)
        alice.tokens = try await relay.ask(alice.loginRequest()).value()
        // A few seconds are left of the token's life.
        relay.advance(seconds: AccessToken.lifetime - 5)
        var short = try await Socket(alice)
        #expect(try await short.next() == nil)
        #expect(short.connection.closing?.code == 4401)
        await relay.server.stop()
    }

    @Test("a socket without a token is refused, and what is no request is answered as one")
    func refusals() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        var socket = try await Socket(alice)
        for text in ["", "{}", "[]", "{\"subscribe\":{}}", "{\"subscribe\":{\"room\":1,\"from\":1}}", "{\"other\":{}}"]
        {
            try await socket.connection.send(text: text)
            guard case .refused(let error) = try await socket.next() else { throw CancellationError() }
            #expect(error.code == .badRequest)
        }
        let nowhere = RoomID.random()
        try await socket.say(.subscribe(room: nowhere, from: 1))
        #expect(try await socket.next() == .removed(room: nowhere))
        alice.tokens.access = "nonsense"
        await #expect(throws: TransportError.self) { try await Socket(alice) }
        await relay.server.stop()
    }

    @Test("a socket that asks again and again has one read under way, and nobody else waits for it")
    func oneReadAtATime() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        let other = try await alice.makeRoom()
        _ = try await alice.say("first", in: room)
        _ = try await alice.say("elsewhere", in: other)
        var socket = try await Socket(alice)
        let live = relay.server.parts.live
        // The thread that catches sockets up stands still.
        let (gate, standing) = (DispatchSemaphore(value: 0), Handover<Void>())
        live.perform(for: .relay) { _ throws(StorageError) in
            standing.give(())
            gate.wait()
            return .success(())
        } then: { _ in
        }
        standing.take()
        for _ in 0..<50 {
            try await socket.say(.subscribe(room: room.id, from: 1))
            try await socket.say(.subscribe(room: other.id, from: 1))
        }
        // What is refused at once is answered after all that came before it.
        try await socket.connection.send(text: "{}")
        guard case .refused = try await socket.next() else { throw CancellationError() }
        #expect(live.backlog <= 1)
        let login = try await relay.ask(alice.loginRequest())
        let token = try login.value(SessionTokens.self).access
        #expect(try await relay.ask(.get, "/v1/rooms", token: token).status == 200)
        gate.signal()
        // Its session is over by the login: what it still gets is each room once, if that.
        await relay.server.stop()
    }

    @Test("what is asked over a socket counts as well")
    func rates() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        var socket = try await Socket(alice)
        let asked = RateRule.reading.rate.burst + RateRule.reading.rate.burst / 5
        for _ in 0..<asked { try await socket.connection.send(text: "{}") }
        var codes: Set<APIErrorCode> = []
        for _ in 0..<asked {
            guard case .refused(let error) = try await socket.next() else { throw CancellationError() }
            codes.insert(error.code)
        }
        #expect(codes == [.badRequest, .rateLimited])
        await relay.server.stop()
    }

    @Test("a subscription that is made again takes the earlier one's place, and each room gets its turn")
    func again() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let rooms = [try await alice.makeRoom(), try await alice.makeRoom()]
        for room in rooms {
            for index in 0..<3 { _ = try await alice.say("\(index)", in: room) }
        }
        var socket = try await Socket(alice)
        for _ in 0..<20 {
            for room in rooms { try await socket.say(.subscribe(room: room.id, from: 2)) }
        }
        // The last subscription is answered in full.
        var last: [RoomID: [UInt64]] = [:]
        while rooms.contains(where: { last[$0.id]?.suffix(2) != [2, 3] }) {
            guard case .message(let room, let message) = try await socket.next() else { throw CancellationError() }
            last[room, default: []].append(message.number)
        }
        for room in rooms { _ = try await alice.say("live", in: room) }
        var live: Set<RoomID> = []
        while live.count < 2 {
            guard case .message(let room, let message) = try await socket.next() else { throw CancellationError() }
            if message.number == 4 { live.insert(room) }
        }
        await relay.server.stop()
    }

    @Test("who reads too slowly is told from where to fetch")
    func behind() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        var limits = ClientLimits()
        limits.maxBufferedMessages = 1
        var socket = try await Socket(alice, limits: limits)
        try await socket.say(.subscribe(room: room.id, from: 1))
        let long = String(repeating: "x", count: Limits.message - 100)
        for _ in 0..<60 { _ = try await alice.say(long, in: room) }
        // It has read nothing so far; now it reads what was on its way, in order, and then learns where that ended.
        var due: UInt64 = 1
        reading: while let event = try await socket.next() {
            switch event {
            case .message(_, let message):
                #expect(message.number == due)
                due += 1
            case .behind(let behind, let from):
                #expect(behind == room.id && from == due)
                break reading
            default:
                Issue.record("\(event)")
                break reading
            }
        }
        #expect(due > 1 && due < 61)
        await relay.server.stop()
    }
}
