import Foundation
import MildamSystem
import Testing

@Suite("Executors with a thread of their own")
struct ThreadExecutorTests {
    /// An actor that blocks.
    private actor Waiter {
        private let executor = ThreadExecutor(name: "waiter")
        private(set) var order: [Int] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        func wait(_ number: Int, microseconds: UInt32 = 0) -> String {
            usleep(microseconds)
            order.append(number)
            let file = FileHandle(forReadingAtPath: "/proc/thread-self/comm")
            let name = (try? file?.readToEnd()).flatMap { $0 } ?? Data()
            return String(decoding: name, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }

    @Test func itIsTheActorsThread() async {
        let waiter = Waiter()
        for number in 0..<100 { #expect(await waiter.wait(number) == "waiter") }
        #expect(await waiter.order == Array(0..<100))
    }

    /// Many callers at once, and idle moments between them, in which the thread ends and begins.
    @Test func nothingIsLostOrDoneTwice() async {
        let waiter = Waiter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask { _ = await waiter.wait(number, microseconds: UInt32(number % 3) * 50) }
                if number.isMultiple(of: 50) { try? await Task.sleep(for: .milliseconds(2)) }
            }
        }
        #expect(await waiter.order.sorted() == Array(0..<500))
    }

    /// As many as there are processors and more block for a second; a task that waits for none of them does not notice.
    @Test func othersGoOn() async {
        let waiters = (0..<16).map { _ in Waiter() }
        await withTaskGroup(of: Void.self) { group in
            for waiter in waiters { group.addTask { _ = await waiter.wait(0, microseconds: 1_000_000) } }
            let clock = ContinuousClock()
            try? await Task.sleep(for: .milliseconds(100))
            let start = clock.now
            await Task.detached {}.value
            #expect(clock.now - start < .milliseconds(700))
        }
    }
}
