import MildamSystem
import Testing

@testable import MildamFiles

@Suite("The progress of many files is one")
struct TotalMonitorTests {
    @Test("What each file tells is added up, once, and all of a file is done at its end")
    func sum() {
        let sums = Lock<[Int]>([])
        let whole = FileMonitor(
            progress: { done, total in
                #expect(total == 60)
                sums.withLock { $0.append(done) }
            },
            isCancelled: { true }
        )
        let total = TotalMonitor(whole, total: 60)
        let (one, two) = (total.part(10), total.part(50))
        one.monitor.progress(4, 10)
        two.monitor.progress(20, nil)
        one.monitor.progress(4, 10)
        one.monitor.progress(3, 10)
        one.end()
        one.end()
        #expect(two.monitor.isCancelled())
        two.monitor.progress(55, 50)
        two.end()
        #expect(sums.withLock { $0 } == [4, 24, 30, 65])
    }
}
