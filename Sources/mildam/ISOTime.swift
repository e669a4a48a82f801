import FoundationEssentials

extension Action {
    /// A time for programs, from milliseconds since 1970.
    func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(milliseconds / 1000)).formatted(.iso8601)
    }
}
