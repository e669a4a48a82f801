import Glibc

/// The Date field's value (IMF-fixdate; RFC 9110, section 5.6.7), made once per second.
struct HTTPDate {
    private var second = Int64.min
    private var text: [UInt8] = []

    /// The value at the system clock's current second.
    mutating func current() -> [UInt8] {
        let now = Int64(time(nil))
        if now != second {
            second = now
            text = Array(Self.format(now).utf8)
        }
        return text
    }

    /// "Sun, 06 Nov 1994 08:49:37 GMT" for seconds since 1970.
    static func format(_ seconds: Int64) -> String {
        var moment = time_t(seconds)
        var parts = unsafe tm()
        unsafe gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return unsafe "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
