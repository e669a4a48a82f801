import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: what the relay keeps of them in memory")
struct GroupBookTests {
    private let relayID = RelayID.random()
    private let account = AccountID.random()
    private let keys = DeviceKeys()
    private let identity = Curve25519.Signing.PrivateKey()

    /// A relay with one account, and rooms of its own.
    private func relay(with rooms: [LoneRoom]) throws -> PlayedRelay {
        let relay = try PlayedRelay(limitsRates: false, incarnation: .random(), at: 1_700_000_000_000)
        let device = PlayedDevice(account, keys.device)
        let handle = try Handle("alice")
        let bundle = [UInt8](try JSONEncoder().encode(records(of: handle)))
        let owner = PlayedAccount(device, handle: handle, key: keys.signing.publicKey, bundle: bundle)
        try relay.make([owner]).get()
        for room in rooms { _ = try relay.create(room.creation, as: room.id, by: device).get() }
        return relay
    }

    private func records(of handle: Handle) -> AccountBundle {
        let record = keys.record(relay: relayID, account: account, notAfter: 4_000_000_000)
        let own = AccountRecord(relay: relayID, account: account, handle: handle, identityKey: identity.publicKey)
        let list = DeviceList(relay: relayID, account: account, number: 1, records: [record])
        return AccountBundle(
            account: Signed(own, by: identity),
            list: Signed(list, by: identity),
            devices: [Signed(record, by: identity)]
        )
    }

    private func room(strangers: Int = 0) throws -> LoneRoom {
        try LoneRoom(of: account, keys, identity, at: relayID, strangers: strangers)
    }

    @Test("groups are forgotten by the memory that they take, and not by how many people are in them")
    func weights() throws {
        let rooms = try (0..<5).map { _ in try room(strangers: 400) }
        let relay = try relay(with: rooms)
        let whole = GroupBook(relay.reads, limitsRates: false)
        for room in rooms { _ = try whole.follow(room.id, whole.present(room.id, for: account)) }
        #expect(whole.count == 5)
        // What its context has of others is the most of each.
        let each = whole.weight / 5
        #expect(each > 8 * 400 * 17)
        let small = GroupBook(relay.reads, limitsRates: false, maximumWeight: 3 * each)
        for room in rooms + rooms.prefix(1) { _ = try small.follow(room.id, small.present(room.id, for: account)) }
        #expect(small.count == 3 && small.weight <= 3 * each)
    }

    @Test("what is expected of a group counts as much as the group, until it has come or another has taken its place")
    func candidates() throws {
        let room = try room()
        let relay = try relay(with: [room])
        let book = GroupBook(relay.reads, limitsRates: false)
        let state = try book.follow(room.id, book.present(room.id, for: account))
        let alone = book.weight
        #expect(alone == state.weight)
        for message in [[UInt8](repeating: 1, count: 1000), [1, 2, 3]] {
            book.expect(state, of: room.id, after: message)
            #expect(book.weight == 2 * alone + message.count)
        }
    }

    @Test("a place in the tree weighs, whether somebody is there or not")
    func widths() {
        let one = FollowedGroup.weight(leaves: 1, nodes: 1, contextSize: 500)
        let wide = FollowedGroup.weight(leaves: 1, nodes: 4095, contextSize: 500)
        #expect(wide > one + 4094 * 100)
        // The largest rooms are few, and the smallest not without number.
        #expect(GroupBook.maximumWeight / FollowedGroup.weight(leaves: 2000, nodes: 4095, contextSize: 120 << 10) < 10)
        #expect(GroupBook.maximumWeight / one < 20_000)
    }
}
