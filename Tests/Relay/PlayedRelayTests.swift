import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("The relay that is played: it takes back as the relay does")
struct PlayedRelayTests {
    private let relayID = RelayID.random()
    private let account = AccountID.random()
    private let keys = DeviceKeys()
    private let identity = Curve25519.Signing.PrivateKey()
    private let start: Int64 = 1_700_000_000_000

    private var device: PlayedDevice { PlayedDevice(account, keys.device) }

    /// A relay with one account and its room, put back.
    private func putBack(with room: LoneRoom) throws -> PlayedRelay {
        let relay = try PlayedRelay(limitsRates: false, incarnation: .random(), at: start)
        let handle = try Handle("alice")
        let record = keys.record(relay: relayID, account: account, notAfter: 4_000_000_000)
        let own = AccountRecord(relay: relayID, account: account, handle: handle, identityKey: identity.publicKey)
        let list = DeviceList(relay: relayID, account: account, number: 1, records: [record])
        let bundle = AccountBundle(
            account: Signed(own, by: identity),
            list: Signed(list, by: identity),
            devices: [Signed(record, by: identity)]
        )
        let bytes = [UInt8](try JSONEncoder().encode(bundle))
        try relay.make([PlayedAccount(device, handle: handle, key: keys.signing.publicKey, bundle: bytes)]).get()
        _ = try relay.create(room.creation, as: room.id, by: device).get()
        return try relay.putBack(as: .random(), at: start, steady: 0)
    }

    @Test("once all patience is used up, what is missing between is given up, and what is held is taken, all at once")
    func overdue() throws {
        let room = try LoneRoom(of: account, keys, identity, at: relayID)
        let relay = try putBack(with: room)
        for minute in 1...12 as ClosedRange<UInt64> {
            let passed = minute * RestoredRoom.shortPatience
            relay.tell(milliseconds: start + Int64(passed), steady: passed)
            relay.restoration.move(room.id)
        }
        let offered = ([4, 6, 8] as [UInt64]).map { number in
            RefilledMessage(
                number: number,
                generation: 0,
                epoch: 0,
                account: account,
                device: keys.device,
                id: .random(),
                stored: 1,
                content: .application(room.message([1]))
            )
        }
        let page = try relay.refill(RefillRequest(shown: 9, messages: offered), in: room.id, by: device).get()
        #expect(page.next == 9)
        #expect(relay.lost(in: room.id) == [1...3, 5...5, 7...7] as [ClosedRange<UInt64>])
        #expect(relay.trouble == nil)
    }
}
