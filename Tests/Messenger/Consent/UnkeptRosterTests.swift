import Foundation
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import Testing

@testable import MildamMessenger

/// What is remembered of a room that nobody has joined yet, and of people from before there were states.
@Suite("Consent: what an invitation leaves in a profile")
struct UnkeptRosterTests {
    private func invitation(_ count: Int) throws -> RoomInvitation {
        RoomInvitation(
            key: RoomKey(room: .random(), generation: 1),
            name: "hall",
            history: .start,
            members: try (0..<count).map { number in
                Member(
                    account: .random(),
                    handle: try Handle("member-\(number)"),
                    identityKey: Curve25519.Signing.PrivateKey().publicKey
                )
            },
            lists: [:]
        )
    }

    @Test(arguments: [(50, nil), (51, 51)] as [(Int, Int?)])
    func largeRosters(_ count: Int, _ unkept: Int?) throws {
        let invitation = try invitation(count)
        var ledger = RoomLedger(invitation, by: try Handle("bob"))
        #expect(ledger.unkept == unkept && ledger.members.count == (unkept == nil ? count : 0))
        #expect(RoomSummary(ledger).unkept == unkept)
        ledger.fill(from: invitation)
        #expect(ledger.members == invitation.members && ledger.unkept == nil)
    }

    /// A record from before there were states: with a list number it was seen, without it was told.
    @Test(arguments: [(0, PinState.told), (3, .seen)] as [(UInt64, PinState)])
    func pinsFromBefore(_ number: UInt64, _ state: PinState) throws {
        let pin = AccountPin(
            handle: try Handle("bob"),
            account: .random(),
            identityKey: Curve25519.Signing.PrivateKey().publicKey,
            listNumber: number,
            listDigest: [UInt8](repeating: 4, count: number == 0 ? 0 : 32),
            state: .compared
        )
        let written = try JSONEncoder().encode(PinRecord(pin))
        #expect(try JSONDecoder().decode(PinRecord.self, from: written).pin() == pin)
        var fields = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        #expect(fields.removeValue(forKey: "state") != nil)
        let old = try JSONSerialization.data(withJSONObject: fields)
        #expect(try JSONDecoder().decode(PinRecord.self, from: old).pin().state == state)
    }
}
