import Glibc

/// A moment as people read it, in this machine's time zone.
struct LocalTime {
    /// "2026-11-21".
    let day: String
    /// "18:04".
    let clock: String

    /// "2026-11-21 18:04".
    var text: String { "\(day) \(clock)" }

    /// The moment of so many milliseconds since 1970.
    init(_ milliseconds: Int64) { self.init(seconds: milliseconds / 1000) }

    /// The moment of so many seconds since 1970; what lies before the year 1 or behind the year 9999 is shown as its end.
    init(seconds: Int64) {
        var seconds = time_t(min(max(seconds, -62_135_596_800), 253_402_300_799))
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        day = unsafe LocalTime.joined([Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)], by: "-")
        clock = unsafe LocalTime.joined([Int(parts.tm_hour), Int(parts.tm_min)], by: ":")
    }

    private static func joined(_ numbers: [Int], by separator: String) -> String {
        numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
    }
}
