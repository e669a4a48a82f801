import Foundation
import MildamIdentity
import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("Consent: where an envelope goes, and what gives way")
struct MailboxPartTests {
    private static var quota: RelayQuota {
        var quota = RelayQuota()
        quota.requestItems = 4
        quota.requestBytes = 400
        return quota
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let tie: Intake.Tie
        var share = SenderShare()
        var known = 0
        var bytes = 10
        let expected: Intake
    }

    @Test(
        "an envelope",
        arguments: [
            Case(testDescription: "of a stranger", tie: .stranger, expected: .request),
            Case(testDescription: "of a known sender", tie: .known, expected: .known),
            Case(testDescription: "of a blocked one", tie: .blocked, expected: .dropped),
            Case(
                testDescription: "beyond a stranger's items",
                tie: .stranger,
                share: SenderShare(requests: MailboxShare(items: 8, bytes: 80)),
                expected: .full
            ),
            Case(
                testDescription: "beyond a stranger's bytes",
                tie: .stranger,
                share: SenderShare(requests: MailboxShare(items: 1, bytes: (512 << 10) - 9)),
                expected: .full
            ),
            Case(
                testDescription: "of a known sender who was a stranger",
                tie: .known,
                share: SenderShare(requests: MailboxShare(items: 8, bytes: 80)),
                expected: .known
            ),
            Case(
                testDescription: "beyond a known sender's items",
                tie: .known,
                share: SenderShare(known: MailboxShare(items: 1_000, bytes: 80)),
                expected: .full
            ),
            Case(
                testDescription: "beyond a known sender's bytes",
                tie: .known,
                share: SenderShare(known: MailboxShare(items: 1, bytes: 16 << 20)),
                expected: .full
            ),
            Case(testDescription: "joining at a full mailbox", tie: .known, known: 10_000, expected: .request),
            Case(
                testDescription: "joining at a mailbox that they have a part in",
                tie: .known,
                share: SenderShare(known: MailboxShare(items: 1, bytes: 1)),
                known: 10_000,
                expected: .full
            ),
        ]
    )
    func intake(_ given: Case) {
        let intake = Intake.judge(
            bytes: given.bytes,
            from: given.tie,
            sharing: given.share,
            at: DeviceFact(key: [], known: given.known),
            RelayQuota()
        )
        #expect(intake == given.expected)
    }

    private func rows(_ senders: [(AccountID, Int)]) -> [RequestRow] {
        senders.enumerated().map { RequestRow(number: UInt64($0 + 1), sender: $1.0, bytes: $1.1) }
    }

    @Test("nothing gives way where there is room")
    func room() {
        let sender = AccountID.random()
        #expect(
            Eviction.rows(of: rows([(sender, 10), (sender, 10), (sender, 10)]), for: 10, from: .random(), Self.quota)
                .isEmpty
        )
    }

    @Test("whoever takes most loses the oldest first: those who ask for little stay, however old")
    func most() {
        let (quiet, loud, heavy) = (AccountID.random(), AccountID.random(), AccountID.random())
        let many = rows([(quiet, 10), (loud, 10), (loud, 10), (loud, 10)])
        #expect(Eviction.rows(of: many, for: 10, from: .random(), Self.quota).map(\.number) == [2])
        let large = rows([(quiet, 10), (heavy, 190), (heavy, 190)])
        #expect(Eviction.rows(of: large, for: 100, from: .random(), Self.quota).map(\.number) == [2])
        #expect(Eviction.rows(of: large, for: 390, from: .random(), Self.quota).map(\.number) == [2, 3])
    }

    @Test("of several who take as much, the oldest item gives way")
    func oldest() {
        let even = rows((0..<4).map { _ in (AccountID.random(), 10) })
        #expect(Eviction.rows(of: even, for: 10, from: .random(), Self.quota).map(\.number) == [1])
    }

    @Test("a newcomer's second item does not push out the only one of another")
    func second() {
        let newcomer = AccountID.random()
        let others = rows([(.random(), 10), (.random(), 10), (.random(), 10), (newcomer, 10)])
        #expect(Eviction.rows(of: others, for: 10, from: newcomer, Self.quota).map(\.number) == [4])
    }

    @Test("what is smaller than an invitation pushes out none")
    func tiny() {
        let honest = AccountID.random()
        let junk = rows([(.random(), 1), (honest, 90), (.random(), 1), (.random(), 1)])
        #expect(Eviction.rows(of: junk, for: 1, from: .random(), Self.quota).map(\.number) == [1])
    }

    @Test("an item that fits nowhere takes no more than all")
    func absurd() {
        let all = rows([(.random(), 10), (.random(), 10)])
        #expect(Eviction.rows(of: all, for: 401, from: .random(), Self.quota).count == 2)
    }
}
