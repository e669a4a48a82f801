import MildamSystem

/// Adds up how much of many files is done, by several threads, for one monitor.
package final class TotalMonitor: Sendable {
    private let whole: FileMonitor
    /// The bytes of all files, where they are known.
    private let total: Int?
    private let done = Lock(0)

    /// - Parameters:
    ///   - whole: told the sum.
    ///   - total: the bytes of all files, where they are known.
    package init(_ whole: FileMonitor, total: Int?) {
        self.whole = whole
        self.total = total
    }

    /// The bytes of files of these sizes; `nil` where one is not known, or sparse files say more than there can be.
    package static func sum(of sizes: [Int?]) -> Int? {
        var sum = 0
        for size in sizes {
            guard let size else { return nil }
            let (next, isTooMuch) = sum.addingReportingOverflow(size)
            guard !isTooMuch else { return nil }
            sum = next
        }
        return sum
    }

    /// The share of one file of so many bytes.
    package func part(_ size: Int) -> Part { Part(of: self, size) }

    private func add(_ bytes: Int) {
        guard bytes > 0 else { return }
        // While nobody else tells of more, so that the sum never goes back.
        done.withLock { done in
            done = min(done, Int.max - bytes) + bytes
            whole.progress(done, total)
        }
    }

    /// One of the files. What it is smaller than was thought, or was not read of it, counts as done at its end.
    package final class Part: Sendable {
        private let sum: TotalMonitor
        private let size: Int
        private let done = Lock(0)

        fileprivate init(of sum: TotalMonitor, _ size: Int) {
            self.sum = sum
            self.size = size
        }

        /// What the work on the file tells and asks.
        package var monitor: FileMonitor {
            FileMonitor(progress: { [self] done, _ in reach(done) }, isCancelled: sum.whole.isCancelled)
        }

        /// Nothing more is done of it.
        package func end() { reach(size) }

        private func reach(_ place: Int) {
            let more = done.withLock { done in
                defer { done = max(done, place) }
                return place - done
            }
            sum.add(more)
        }
    }
}
