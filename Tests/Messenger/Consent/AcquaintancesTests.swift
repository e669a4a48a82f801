import MildamCrypto
import MildamGroupKey
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("Consent: who is somebody known")
struct AcquaintancesTests {
    private let bob: Person
    private let mallory: Person

    init() throws { (bob, mallory) = (try Person("bob"), try Person("mallory")) }

    private func record(_ member: Member) -> AccountRecord {
        AccountRecord(
            relay: .random(),
            account: member.account,
            handle: member.handle,
            identityKey: member.identityKey
        )
    }

    private func isKnown(_ member: Member, _ pins: [AccountPin], _ rosters: [[Member]] = []) -> [Bool] {
        let known = Acquaintances(pins: pins, rosters: rosters)
        return [known.mayBe(member.account, member.handle), known.know(record(member))]
    }

    @Test func whomOneHasMet() {
        #expect(isKnown(bob.member, []) == [false, false])
        #expect(isKnown(bob.member, [bob.member.pin.believed(.seen)]) == [true, true])
        #expect(isKnown(bob.member, [bob.member.pin.believed(.compared)]) == [true, true])
        #expect(isKnown(bob.member, [bob.member.pin]) == [false, false], "what was told is no pin")
        #expect(isKnown(mallory.member, [bob.member.pin.believed(.seen)]) == [false, false])
    }

    @Test func withWhomOneSharesARoom() {
        #expect(isKnown(bob.member, [], [[mallory.member], [bob.member]]) == [true, true])
        // Another key than the room knows: the claim may be true, and is not.
        let other = Member(
            account: bob.member.account,
            handle: bob.member.handle,
            identityKey: mallory.member.identityKey
        )
        #expect(isKnown(other, [], [[bob.member]]) == [true, false])
    }

    /// A room that calls somebody by the handle of one whom this account has met makes them nobody known.
    @Test func underAnothersHandle() {
        let posing = Member(
            account: mallory.member.account,
            handle: bob.member.handle,
            identityKey: mallory.member.identityKey
        )
        let pin = bob.member.pin.believed(.seen)
        #expect(isKnown(posing, [pin], [[posing]]) == [false, false])
        #expect(isKnown(bob.member, [pin], [[posing]]) == [true, true])
        #expect(isKnown(posing, [], [[posing]]) == [true, true])
    }
}
