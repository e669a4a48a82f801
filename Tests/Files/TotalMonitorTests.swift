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

    @Test("Sparse files may say more than a number holds")
    func tooMuch() {
        #expect(TotalMonitor.sum(of: [1, 2]) == 3)
        #expect(TotalMonitor.sum(of: [1, nil]) == nil)
        #expect(TotalMonitor.sum(of: [Int.max, 1]) == nil)
        let last = Lock(0)
        let total = TotalMonitor(FileMonitor(progress: { done, _ in last.withLock { $0 = done } }), total: nil)
        for _ in 0..<2 { total.part(.max).end() }
        #expect(last.withLock { $0 } == .max)
    }
}
