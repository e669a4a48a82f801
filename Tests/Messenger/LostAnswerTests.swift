import Foundation
import MildamIdentity
import MildamJOSE
import MildamProfile
import MildamRelayAPI
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger
@testable import MildamRelay

/// The relay has moved a session on, and the device has not heard of it, or not all: it goes on with the same session.
@Suite("A session with the relay, whose answers are lost")
struct LostAnswerTests {
    @Test(
        "each byte of an answer may be the last one",
        arguments: Cases.drawn(1, of: RelayGate.Framing.allCases, for: "framings")
    )
    func cut(_ framing: RelayGate.Framing) async throws {
        let desk = try await SessionDesk()
        desk.letAccessEnd()
        try await desk.ask()
        let size = desk.gate.answerSize
        #expect(size > 300)
        let step = Count.of(few: 37, full: 1)
        for count in [0, 1, size - 1] + Array(stride(from: 2, to: size - 1, by: step)) {
            let steps = try desk.steps
            desk.letAccessEnd()
            desk.gate.cut(after: count, framing)
            await #expect(throws: MessengerError.self, "\(count) bytes of \(size)") { try await desk.ask() }
            #expect(try desk.steps == steps + 1, "the relay was not reached, with \(count) bytes of \(size)")
            desk.gate.open()
            try await desk.ask()
            #expect(try desk.steps == steps + 1, "\(count) bytes of \(size)")
        }
        // All of it is enough.
        desk.letAccessEnd()
        desk.gate.cut(after: desk.gate.answerSize, framing)
        try await desk.ask()
        #expect(try await desk.log() == [.registered])
    }

    @Test(
        "an answer that is lost before a long sleep, through which the relay may be started anew, is asked for after it"
    )
    func sleep() async throws {
        let desk = try await SessionDesk()
        for (hours, isStartedAnew) in [(9, false), (9, true), (24 * 89, true)] as [(Int64, Bool)] {
            let steps = try desk.steps
            desk.letAccessEnd()
            desk.gate.cut(after: 0)
            await #expect(throws: MessengerError.self) { try await desk.ask() }
            desk.gate.open()
            if isStartedAnew { try await desk.restart() }
            desk.advance(seconds: hours * 3600)
            try await desk.ask()
            #expect(try desk.steps == steps + 1)
        }
        #expect(try await desk.log() == [.registered])
    }

    @Test("while the relay is asked, the profile is free for others, and of one token there is one request")
    func together() async throws {
        let desk = try await SessionDesk()
        desk.letAccessEnd()
        let steps = try desk.steps
        desk.gate.hold(true)
        let asked = (0..<3).map { _ in Task { try await desk.messenger.pass(renewing: false).until } }
        try await until { desk.gate.held > 0 }
        #expect(try await desk.messenger.accountSummary().isLoggedIn)
        desk.gate.hold(false)
        var ends: Set<Int64> = []
        for task in asked { ends.insert(try await task.value) }
        #expect(ends.count == 1 && desk.gate.held == 1)
        #expect(try desk.steps == steps + 1)
    }

    @Test("what these tests look at shows a token that was used by two")
    func theft() async throws {
        let desk = try await SessionDesk()
        let stolen = try await desk.messenger.session()
        for _ in 0..<2 {
            desk.letAccessEnd()
            try await desk.ask()
        }
        try await desk.messenger.put(stolen)
        await #expect(throws: MessengerError.self) { try await desk.ask() }
        #expect(try await desk.messenger.accountSummary().isLoggedIn == false)
        try await desk.messenger.logIn(password: SessionDesk.password)
        #expect(try await desk.log().contains(.tokenReused))
    }
}

/// A device with a session, its relay, and a gate between the two. Device and relay have one clock, which a test moves.
private final class SessionDesk: Sendable {
    static var password: Password { Password(copying: Array("a password".utf8).span) }

    let gate: RelayGate
    let messenger: Messenger
    private let folder: TemporaryFolder
    private let server: Lock<RelayServer>
    private let configuration: RelayConfiguration
    private let offset: Lock<Int64>
    private let begun: SessionID

    init() async throws {
        let (folder, offset) = (try TemporaryFolder(), Lock<Int64>(0))
        let clock = WallClock { WallClock.system.milliseconds + offset.withLock { $0 } }
        var configuration = RelayConfiguration(dataFolder: folder.file("relay"), address: .loopback(port: 0))
        configuration.clock = clock
        configuration.limitsRates = false
        let relay = try RelayServer(configuration)
        gate = try RelayGate(before: relay)
        messenger = Messenger(profile: OpenProfile(folder: folder.file("alice")), clock: clock)
        (self.folder, self.offset, self.configuration, server) = (folder, offset, configuration, Lock(relay))
        try await messenger.createAccount(Handle("alice"), at: gate.url, password: Self.password)
        begun = try await messenger.session().tokens.session
    }

    deinit {
        let server = server.withLock { $0 }
        Task { await server.stop() }
    }

    /// The access token runs out.
    func letAccessEnd() { advance(seconds: AccessToken.lifetime + 1) }

    /// Time passes for both.
    func advance(seconds: Int64) { offset.withLock { $0 += seconds * 1000 } }

    /// The relay stops and starts again.
    func restart() async throws {
        await server.withLock { $0 }.stop()
        let new = try RelayServer(configuration)
        server.withLock { $0 = new }
        try gate.lead(to: new)
    }

    /// Does something for which the device has to be logged in, in the session that it began with.
    func ask() async throws {
        let session = begun
        #expect(try await messenger.sessions().map(\.session) == [session])
    }

    /// How often the relay has moved the session on.
    var steps: Int64 {
        get throws {
            var options = Database.Options()
            options.readOnly = true
            let path = folder.file("relay/relay.db")
            let database = try Database(path: path, schema: RelaySchema.current, options: options)
            return try #require(
                try database.first("SELECT step FROM sessions") { row throws(StorageError) in try row.int64(0) }
            )
        }
    }

    /// What the relay says that happened.
    func log() async throws -> [AuditEntry.Kind] { try await messenger.accountLog().map(\.kind) }
}

extension Messenger {
    /// The session as the device has it.
    fileprivate func session() async throws(MessengerError) -> SessionState {
        try await alone { (_, store) throws(MessengerError) in
            guard let session = try store.record(.session, []) else { throw .notLoggedIn }
            return session
        }
    }

    /// The device has this session now.
    fileprivate func put(_ session: SessionState) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in try store.put(session, as: .session, []) }
    }
}
