import Glibc

/// The Date field's value (IMF-fixdate; RFC 9110, section 5.6.7), made once per second.
public struct HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

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

    /// The seconds since 1970 that a Date field names; `nil` for any other form than this one, which servers must send.
    public static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8.prefix(30))
        guard bytes.count == 29, let month = months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self))
        else { return nil }
        func number(_ range: Range<Int>) -> Int32? {
            bytes[range].allSatisfy { (0x30...0x39).contains($0) }
                ? bytes[range].reduce(0) { $0 * 10 + Int32($1 - 0x30) } : nil
        }
        guard let day = number(5..<7), let year = number(12..<16), let hour = number(17..<19),
            let minute = number(20..<22), let second = number(23..<25), year >= 1970
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        let seconds = unsafe Int64(timegm(&parts))
        // What is written again differs where a day or an hour does not exist, a weekday is wrong, or a space is missing.
        return format(seconds) == text ? seconds : nil
    }

    /// "Sun, 06 Nov 1994 08:49:37 GMT" for seconds since 1970.
    static func format(_ seconds: Int64) -> String {
        var moment = time_t(seconds)
        var parts = unsafe tm()
        unsafe gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        return unsafe "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
