import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("How much the log says of one thing")
struct LogAllowanceTests {
    private let minute = LogAllowance.span

    /// Whether each of some lines is written.
    private func taken(_ count: Int, _ event: String, by allowance: inout LogAllowance, at now: UInt64) -> Int {
        (0..<count).count { _ in
            let (isWritten, leftOut) = allowance.take(event, at: now)
            #expect(leftOut.isEmpty)
            return isWritten
        }
    }

    @Test("a few lines in a minute, each kind by itself; then how many there were more")
    func few() {
        var allowance = LogAllowance()
        #expect(taken(1_000, "read_failed", by: &allowance, at: 5) == LogAllowance.lines)
        #expect(taken(2, "disk_full", by: &allowance, at: 6) == 2)
        #expect(taken(10, "read_failed", by: &allowance, at: 5 + minute - 1) == 0)
        #expect(allowance.hasLeftOut)
        // The minute is over: it is told with the next line of any kind.
        let (isWritten, leftOut) = allowance.take("disk_full", at: 5 + minute)
        #expect(isWritten)
        #expect(leftOut == [.init(event: "read_failed", count: 1_005)])
        #expect(!allowance.hasLeftOut)
        #expect(taken(1_000, "read_failed", by: &allowance, at: 5 + minute) == LogAllowance.lines)
    }

    @Test("what is left out is told once, at the minute's end or at the relay's")
    func once() {
        var allowance = LogAllowance()
        _ = taken(LogAllowance.lines + 3, "b", by: &allowance, at: 0)
        _ = taken(LogAllowance.lines + 1, "a", by: &allowance, at: 0)
        #expect(allowance.over(at: minute - 1).isEmpty)
        #expect(allowance.over(at: minute) == [.init(event: "a", count: 1), .init(event: "b", count: 3)])
        #expect(allowance.over(at: minute).isEmpty)
        _ = taken(LogAllowance.lines + 2, "c", by: &allowance, at: minute)
        #expect(allowance.end() == [.init(event: "c", count: 2)])
        #expect(allowance.end().isEmpty)
    }

    @Test("a minute without a line too many is not mentioned")
    func enough() {
        var allowance = LogAllowance()
        #expect(taken(LogAllowance.lines, "a", by: &allowance, at: 0) == LogAllowance.lines)
        #expect(allowance.end().isEmpty)
    }

    @Test(
        "a relay writes a few errors and the number of the others; requests that were asked for, all",
        arguments: [
            false, true,
        ]
    )
    func relay(logsRequests: Bool) async throws {
        let relay = try TestRelay { $0.logsRequests = logsRequests }
        let log = relay.server.parts.log
        for _ in 0..<20 { log.error("read_failed", "cannot read") }
        for _ in 0..<20 { log.write(.error, RequestBook.event, [.number("status", 500)]) }
        for _ in 0..<20 { log.info("stopping") }
        await relay.server.stop()
        let lines = relay.lines.withLock { $0 }
        #expect(lines.count { $0.contains("cannot read") } == LogAllowance.lines)
        #expect(lines.count { $0.contains("status 500") } == (logsRequests ? 20 : LogAllowance.lines))
        #expect(lines.count { $0 == "stopping" } == 20)
        #expect(lines.contains { $0.hasSuffix("(of read_failed, lines \(20 - LogAllowance.lines))") }, "\(lines)")
    }

    @Test("what a quota refuses is no error of the relay's")
    func quota() async throws {
        let relay = try TestRelay { $0.quota.accountRooms = 1 }
        let alice = try await Person("alice", on: relay)
        _ = try await alice.makeRoom()
        let refusal = try await alice.make(try LoneRoom(of: alice))
        #expect(refusal.apiError?.code == .quotaExceeded)
        #expect(refusal.fields["X-Request-Id"] != nil)
        await relay.server.stop()
        #expect(relay.lines.withLock { $0 }.isEmpty)
    }
}
