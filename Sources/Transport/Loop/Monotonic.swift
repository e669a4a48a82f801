import Glibc

/// Time that never jumps, in nanoseconds since an unnamed moment.
package enum Monotonic {
    /// The moment.
    package static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// `moment` plus `duration`; a negative duration counts as none, an endless one as the end of time.
    static func after(_ duration: Duration, from moment: UInt64) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return moment }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .max }
        let (sum, carried) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        let (result, spilled) = sum.addingReportingOverflow(moment)
        return carried || spilled ? .max : result
    }
}
