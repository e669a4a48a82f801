import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("Consent: what is done with mail, before anything in it is looked at")
struct ConsentTests {
    private let mallory = AccountID.random()
    private let handle: Handle

    init() throws {
        handle = try Handle("mallory")
    }

    private func verdict(
        _ consent: Consent,
        _ standing: Consent.Standing = .outside,
        isKnown: Bool = false,
        isByLink: Bool = false,
        waiting: Int = 0,
        at now: Int64 = 100
    ) -> Consent.Verdict {
        consent.verdict(
            on: mallory,
            standing: standing,
            isKnown: isKnown,
            isByLink: isByLink,
            waiting: waiting,
            at: now
        )
    }

    @Test func strangersAsk() {
        #expect(verdict(Consent()) == .ask)
        #expect(verdict(Consent(), isKnown: true) == .verify)
    }

    /// Who was given a link invites as somebody known does, and is held to the same.
    @Test func byALink() {
        var consent = Consent()
        #expect(verdict(consent, isByLink: true) == .verify)
        #expect(verdict(consent, isByLink: true, waiting: Consent.invitationsOfOne) == .ask)
        for _ in 0..<SenderMemory.patience { consent.senders.note(mallory, at: 100) }
        #expect(verdict(consent, isByLink: true) == .ask)
        consent.blocks.add(mallory, handle)
        #expect(verdict(consent, isByLink: true) == .setAside(.blocked))
    }

    @Test func inOnesOwnRooms() {
        for isKnown in [false, true] {
            #expect(verdict(Consent(), .invited, isKnown: isKnown) == .keep)
            #expect(verdict(Consent(), .member, isKnown: isKnown) == .keep)
        }
    }

    @Test func whoIsBlockedIsNotHeard() throws {
        var consent = Consent()
        consent.blocks.add(mallory, handle)
        for isKnown in [false, true] { #expect(verdict(consent, isKnown: isKnown) == .setAside(.blocked)) }
        // Nor are the rooms that one shares torn apart.
        #expect(verdict(consent, .member) == .keep)
        #expect(consent.blocks.handles == [handle])
        #expect(try consent.blocks.remove(Handle("bob")).isEmpty)
        let freed = consent.blocks.remove(handle)
        #expect(freed == [mallory] && verdict(consent) == .ask)
    }

    /// Too much that could not be believed: a stranger is not heard for a while, and somebody known asks instead.
    @Test func badSendersAreRemembered() {
        var consent = Consent()
        for _ in 0..<SenderMemory.patience - 1 { consent.senders.note(mallory, at: 100) }
        #expect(verdict(consent, isKnown: true) == .verify && verdict(consent) == .ask)
        consent.senders.note(mallory, at: 100)
        #expect(verdict(consent, isKnown: true) == .ask && verdict(consent) == .setAside(.muted))
        let later = 100 + SenderMemory.duration
        #expect(verdict(consent, at: later) == .ask)
        consent.senders.note(mallory, at: later)
        #expect(verdict(consent, at: later) == .ask, "it begins anew")
    }

    @Test func oneKnownPersonHasSoManyInvitations() {
        #expect(verdict(Consent(), isKnown: true, waiting: Consent.invitationsOfOne - 1) == .verify)
        #expect(verdict(Consent(), isKnown: true, waiting: Consent.invitationsOfOne) == .ask)
    }

    @Test func senderMemoryIsBounded() {
        var senders = SenderMemory()
        let kept = AccountID.random()
        for _ in 0..<SenderMemory.patience { senders.note(kept, at: .max) }
        #expect(!senders.isMuted(kept, at: .max), "a time beyond all bounds is no trap")
        for _ in 0..<SenderMemory.patience { senders.note(kept, at: 200) }
        for _ in 0..<SenderMemory.capacity * 2 { senders.note(.random(), at: 100) }
        #expect(senders.isMuted(kept, at: 200))
    }

    @Test func whatWasSetAsideIsBoundedAndCounted() {
        var setAside = SetAside()
        for number in 0..<Int64(SetAside.capacity + 5) {
            setAside.add(SetAside.Item(cause: .forged, time: number, sender: nil, room: .random()))
        }
        #expect(setAside.count == 205 && setAside.last.count == SetAside.capacity)
        #expect(setAside.last.first?.time == 5 && setAside.last.last?.time == 204)
    }
}
