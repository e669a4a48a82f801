import MildamClientCore
import MildamSimulate
import Testing

@Suite("Private parts of key packages go by the client's own time (H23)")
struct KeyPackageTimeTests {
    private func moment(after seconds: UInt64) -> Moment {
        Moment(steady: 1_000_000 + seconds * 1000, wall: (1_700_000_000 + seconds) * 1000)
    }

    private func wake(_ step: Step) -> UInt64? {
        step.effects.compactMap { if case .wake(let at) = $0 { at } else { nil } }.first
    }

    @Test("Seven days after their lifetime they are gone, whatever the relay says, and the client wakes for it")
    func forgotten() throws {
        var core = ClientCore(Cast.device(1), randomness: SeededSource.source(9))
        let first = core.step([.connected, .stock(left: 0)], at: moment(after: 0))
        #expect(core.keyPackages.held.count == KeyPackageStock.full)
        let end = KeyPackageStock.lifetime + KeyPackageStock.grace
        #expect(wake(first) == moment(after: end + 1).steady)
        let early = core.step([.tick], at: moment(after: end))
        #expect(early.changes.isEmpty)
        #expect(wake(early) == moment(after: end + 1).steady)
        #expect(core.keyPackages.held.count == KeyPackageStock.full)
        let late = core.step([.tick], at: moment(after: end + 1))
        #expect(late.changes.count == 1)
        #expect(core.keyPackages.held.isEmpty && core.keyPackages.lastResort.isEmpty)
        #expect(wake(late) == nil)
    }
}
