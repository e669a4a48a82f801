import Foundation
import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import MildamTransport
import MildamWire
import Testing

@testable import MildamRelay

/// "A WebSocket renews in band before expiry or is closed with 4401."
@Suite("protocol.md, Rooms and messages: renewal on an open socket", .timeLimit(.minutes(2)))
struct SocketRenewalTests {
    /// What is left of a token, in seconds: enough for a slow machine to open a socket with it.
    private static let rest: Int64 = 6

    /// Somebody with a token that lives some seconds more, and a fresh one.
    private func person(_ name: String, on relay: TestRelay) async throws -> (Person, fresh: String) {
        let person = try await Person(name, on: relay)
        relay.advance(seconds: AccessToken.lifetime - Self.rest)
        return (person, try await person.refresh(person.tokens.refresh).value(SessionTokens.self).access)
    }

    @Test("with a fresh token of its session a socket outlives the one it was opened with")
    func renewed() async throws {
        let relay = try TestRelay()
        let (alice, fresh) = try await person("alice", on: relay)
        let room = try LoneRoom(of: alice)
        let made = try await relay.ask(
            .put,
            Routes.createGroup.at(room.id).text,
            token: fresh,
            body: room.creation.wireBytes
        )
        #expect(made.status == 201)
        var socket = try await Socket(alice)
        try await socket.say(.renew(access: fresh))
        guard case .renewed(let until) = try await socket.next() else { throw CancellationError() }
        #expect(abs(until - relay.now - AccessToken.lifetime) <= Self.rest)
        try await Task.sleep(for: .seconds(Self.rest + 1))
        // The same token again changes nothing.
        try await socket.say(.renew(access: fresh))
        #expect(try await socket.next() == .renewed(until: until))
        let said = room.saying(Array("still here".utf8)).wireBytes
        let place = Routes.sendToGroup.at(room.id).text
        #expect(try await relay.ask(.post, place, token: fresh, body: said).status == 201)
        try await socket.say(.subscribe(room: room.id, from: 1))
        #expect(try await socket.numbers(1) == [1])
        await relay.server.stop()
    }

    @Test("another's token, another session's, one that is none or has run out lengthens nothing")
    func refused() async throws {
        let relay = try TestRelay()
        let early = try await Person("carol", on: relay)
        relay.advance(seconds: 60)
        let (alice, _) = try await person("alice", on: relay)
        let phone = try await alice.onAnotherDevice()
        let bob = try await Person("bob", on: relay)
        var socket = try await Socket(alice)
        let start = ContinuousClock.now
        for access in [bob.token, phone.token, early.token, "", "x", alice.token + "x", "Bearer " + alice.token] {
            try await socket.say(.renew(access: access))
            guard case .refused(let error) = try await socket.next() else { throw CancellationError() }
            #expect(error.code == .unauthorized && (access.isEmpty || !error.message.contains(access)))
        }
        #expect(try await socket.next() == nil)
        #expect(socket.connection.closing?.code == LiveSocket.Code.unauthorized)
        #expect(ContinuousClock.now - start < .seconds(Self.rest + 2))
        await relay.server.stop()
    }

    @Test("an older token of the same session is refused, and shortens nothing")
    func older() async throws {
        let relay = try TestRelay()
        let (alice, fresh) = try await person("alice", on: relay)
        var socket = try await Socket(alice, token: fresh)
        try await socket.say(.renew(access: alice.token))
        guard case .refused(let error) = try await socket.next() else { throw CancellationError() }
        #expect(error.code == .unauthorized)
        try await Task.sleep(for: .seconds(Self.rest + 1))
        try await socket.say(.renew(access: fresh))
        guard case .renewed = try await socket.next() else { throw CancellationError() }
        await relay.server.stop()
    }

    @Test("a session that has ended renews nothing, with whichever token")
    func ended() async throws {
        let relay = try TestRelay()
        let (alice, fresh) = try await person("alice", on: relay)
        var socket = try await Socket(alice)
        try await socket.say(.renew(access: fresh))
        guard case .renewed = try await socket.next() else { throw CancellationError() }
        relay.server.parts.tokens.ended.insert(alice.tokens.session)
        try await socket.say(.renew(access: fresh))
        guard case .refused = try await socket.next() else { throw CancellationError() }
        let phone = try await alice.onAnotherDevice()
        #expect(try await phone.ask(.delete, Routes.endOtherSessions.path).status == 204)
        #expect(try await socket.next() == nil)
        #expect(socket.connection.closing?.code == LiveSocket.Code.unauthorized)
        await relay.server.stop()
    }
}
