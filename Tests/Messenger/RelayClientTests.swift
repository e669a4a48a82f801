import Foundation
import MildamIdentity
import MildamRelay
import MildamTransport
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("Client of a relay")
struct RelayClientTests {
    @Test("one that is held back waits for as long as it is told, and goes on")
    func patience() async throws {
        let folder = try TemporaryFolder()
        let relay = try RelayServer(
            RelayConfiguration(dataFolder: folder.file("data"), address: .loopback(port: 0))
        )
        let client = try RelayClient(address: relay.url, authorityFile: nil, clock: .system)
        let start = ContinuousClock.now
        // More than come at once; two more come with each second.
        for _ in 0..<125 { _ = try await client.loginParameters(for: Handle("alice")) }
        #expect(ContinuousClock.now - start > .seconds(1))
        await relay.stop()
    }

    @Test(
        "one that does not answer is named, with how long it was waited for",
        arguments: [(20_000, "no answer within 1 s"), (0, "it ended the connection before it had answered")]
    )
    func noAnswer(_ milliseconds: Int, _ reason: String) async throws {
        let server = try GateServer { _ in [.pause(milliseconds: milliseconds)] }
        var limits = ClientLimits()
        limits.requestTimeout = .seconds(1)
        let client = try RelayClient(address: server.url(""), authorityFile: nil, clock: .system, limits: limits)
        let handle = try Handle("alice")
        do throws(MessengerError) {
            _ = try await client.loginParameters(for: handle)
            Issue.record("there was an answer")
        } catch {
            #expect("\(error)" == "cannot reach \(server.url("")): \(reason); see `mildam doctor`")
        }
    }
}
