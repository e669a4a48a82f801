import MildamClientAPI
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("How far transfers are")
struct TransferLedgerTests {
    @Test func whatHasEndedStaysSo() {
        var ledger = TransferLedger()
        let id = MessageID.random()
        #expect(ledger[id] == nil)
        ledger.note(.moving(done: 1, of: 2), of: id)
        #expect(ledger[id] == .moving(done: 1, of: 2) && ledger[id]?.isEnd == false)
        ledger.note(.failed(code: "cancelled"), of: id)
        ledger.note(.done(number: 1), of: id)
        #expect(ledger[id] == .failed(code: "cancelled"))
    }

    @Test func aThousandEndsAreRemembered() {
        var ledger = TransferLedger()
        let ids = (0...TransferLedger.kept).map { _ in MessageID.random() }
        for id in ids { ledger.note(.done(), of: id) }
        #expect(ledger[ids[0]] == nil && ledger[ids[1]] == .done())
    }

    @Test func whatIsNotKnownIsNotWaitedFor() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var ledger = TransferLedger()
            let waiter = ledger.nextWaiter()
            ledger.wait(for: .random(), waiter, continuation)
        }
    }
}
