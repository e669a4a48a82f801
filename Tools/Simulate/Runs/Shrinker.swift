/// Leaves out what is not needed for something to fail.
package enum Shrinker {
    /// Leaves out parts for as long as it still fails: halves first, then ever smaller ones, then one by one.
    ///
    /// - Parameters:
    ///   - count: how many things there are; all of them fail.
    ///   - fails: whether it fails with these, which are in their order.
    /// - Returns: those that are left, one at least: without any one of them, it does not fail.
    package static func shrink(_ count: Int, fails: ([Int]) -> Bool) -> [Int] {
        var left = Array(0..<count)
        var size = max(1, count / 2)
        while true {
            var start = 0
            var isLess = false
            while start < left.count {
                var next = left
                next.removeSubrange(start..<min(start + size, left.count))
                if !next.isEmpty, fails(next) {
                    left = next
                    isLess = true
                } else {
                    start += size
                }
            }
            // Of those that were needed before, one may not be any more.
            if size == 1, !isLess { return left }
            size = max(1, size / 2)
        }
    }
}
