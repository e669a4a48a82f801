import MildamClientCore
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("What came of wishes")
struct WishLedgerTests {
    @Test("the last outcomes are known, and why one waits")
    func outcomes() {
        var ledger = WishLedger()
        let (first, second) = (MessageID.random(), MessageID.random())
        #expect(ledger.progress(of: first, isTakenOn: false) == .unknown)
        #expect(ledger.progress(of: first, isTakenOn: true) == .waiting(code: nil))
        ledger.take(.wishWaits(first, code: "busy"))
        #expect(ledger.progress(of: first, isTakenOn: true) == .waiting(code: "busy"))
        ledger.take(.wishIsDone(first, number: 7))
        ledger.take(.wishFailed(second, code: "no-member"))
        #expect(ledger.progress(of: first, isTakenOn: false) == .done(number: 7))
        #expect(ledger.progress(of: second, isTakenOn: false) == .failed(code: "no-member"))
        for _ in 0..<WishLedger.kept { ledger.take(.wishIsDone(.random(), number: nil)) }
        #expect(ledger.progress(of: first, isTakenOn: false) == .unknown)
    }

    @Test("a wait between two attempts to connect stays below ten seconds")
    func backOff() {
        var pause = Backoff.ofRooms
        let waits = (0..<20).map { _ in pause.next() }
        #expect(waits.allSatisfy { $0 > 0 && $0 < 10 })
        #expect(waits.suffix(5).allSatisfy { $0 >= 4 })
    }

    @Test("a clock that does not go back begins where it was seen, wherever the wall clock is")
    func steady() async throws {
        #expect(SteadyClock(notBefore: 5_000, wall: 1_000).now >= 5_000)
        let clock = SteadyClock(notBefore: 5_000, wall: 9_000)
        let first = clock.now
        #expect((9_000..<60_000).contains(first))
        try await Task.sleep(for: .milliseconds(20))
        #expect(clock.now >= first + 15)
    }
}
