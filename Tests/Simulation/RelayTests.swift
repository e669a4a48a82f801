import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules
import TestSupport
import Testing

@testable import MildamSimulate

/// The relay's own code in a world's thread, and the model of it.
@Suite("Relays of simulated worlds")
struct RelayTests {
    private static let size = WorldSize(operations: 60, devices: 8, relay: .store)

    @Test("With the relay's own code everything holds", arguments: 1...UInt64(Count.of(few: 2, full: 20)))
    func storeWorlds(_ seed: UInt64) {
        let result = RelayTests.size.play(seed)
        #expect(result.failures.isEmpty)
        #expect(result.events > 500)
    }

    @Test("The model and the relay's own code give the same answers", arguments: 1...UInt64(Count.of(few: 3, full: 30)))
    func sameAnswers(_ seed: UInt64) {
        let plan = Plan(seed: seed, operations: 80, devices: 8)
        // What a copy that is put back lacks, and what is swept, the relay has rules and clocks of its own for.
        let ofTheRelay: Set<Operation.Deed> = [.copyRelay, .putRelayBack, .retention]
        let only = Set(plan.operations.indices.filter { !ofTheRelay.contains(plan.operations[$0].deed) })
        let relay = TwinRelay((1...8).map { Cast.device($0) })
        let compared = relay.compared
        let result = Simulation(seed: seed, plan: plan, devices: 8, relay: relay, only: only).play()
        #expect(result.failures.isEmpty)
        #expect(compared.count > 100)
    }

    @Test("A relay that is put back has no key packages that are claimed once; nor has the model of it (H41)")
    func keyPackagesOfAnother() throws {
        try expectNone(after: StoreRelay([Cast.device(1)]))
        try expectNone(after: ModelRelay())
    }

    private func expectNone(after empty: some SimulatedRelay) throws {
        var relay = empty
        let core = ClientCore(Cast.device(1), randomness: SeededSource.source(1))
        var client = StoredCore(core, store: MemoryStore(), delivery: EffectList())
        try client.take([.connected, .stock(left: 0)], at: Moment(steady: 0, wall: 1_700_000_000_000))
        for case .request(_, let request) in client.delivery.takeAll() {
            _ = relay.answer(request, from: Cast.device(1), seen: 0)
        }
        let (copy, account) = (relay.copy(), Cast.account(1))
        #expect(relay.left(of: account) == KeyPackageStock.full)
        #expect(copy.left(of: account) == KeyPackageStock.full)
        let restored = copy.restored(as: 2, inPlaceOf: relay)
        #expect(restored.left(of: account) == 0)
        #expect(restored.trouble == nil)
    }

    @Test("Whoever has deleted their account is brought in nowhere, with either relay (H29)")
    func deletedAccount() {
        let two = [Cast.device(1), Cast.device(2)]
        expectRefusal(of: StoreRelay(two))
        expectRefusal(of: ModelRelay())
    }

    private func expectRefusal(of empty: some SimulatedRelay) {
        var relay = empty
        let names = (1...2).map { (number: UInt8) in
            let request = RoomRequest.claim(Cast.message(number), Cast.account(2), for: Cast.room)
            defer { relay.delete(Cast.device(2), leaving: Cast.signedClosing(2)) }
            return relay.answer(request, from: Cast.device(1), seen: 0).name
        }
        #expect(names == ["claimed", "unknown_account"])
        #expect(relay.trouble == nil)
    }

    @Test("A copy of a relay is as it was, whatever happens to the relay")
    func copies() throws {
        var relay = StoreRelay([Cast.device(1), Cast.device(2)])
        let copy = relay.copy()
        let core = ClientCore(Cast.device(1), randomness: SeededSource.source(1))
        var client = StoredCore(core, store: MemoryStore(), delivery: EffectList())
        let moment = Moment(steady: 0, wall: 1_700_000_000_000)
        try client.take([.connected, .create(Cast.room, try RoomInfo(name: "garden"), [.membersInvite])], at: moment)
        for case .request(_, let request) in client.delivery.takeAll() {
            guard case .create = request else { continue }
            let reply = relay.answer(request, from: Cast.device(1), seen: 0)
            #expect(reply.name == "done")
        }
        #expect(relay.state(of: Cast.room)?.leaves == [Cast.account(1)])
        #expect(copy.state(of: Cast.room) == nil)
        #expect(relay.serves(Cast.account(1), in: Cast.room))
        #expect(!relay.serves(Cast.account(2), in: Cast.room))
        #expect(relay.trouble == nil)
    }
}
