/// How long a relay keeps what it was given.
public struct Retention: Sendable {
    /// Messages and whole blobs, in days; `nil` keeps them for as long as their room has members.
    public var days: Int?
    /// An upload that nobody goes on with, and a blob that no message names, in days.
    public var unfinishedDays = 7

    /// The defaults.
    public init() {}

    private static let day: Int64 = 86_400_000

    /// Messages and blobs stored before this moment go; `nil` when none do.
    ///
    /// - Parameter now: milliseconds since 1970, as the result.
    func cutoff(at now: Int64) -> Int64? { days.map { now - Int64($0) * Self.day } }

    /// Messages stored before this moment go, whoever has yet to read them: a device that acknowledges what it reads has twice
    /// the time. `nil` when none do.
    ///
    /// - Parameter now: milliseconds since 1970, as the result.
    func lastCutoff(at now: Int64) -> Int64? { days.map { now - 2 * Int64($0) * Self.day } }

    /// Uploads whose last piece came before this moment go.
    func unfinishedCutoff(at now: Int64) -> Int64 { now - Int64(unfinishedDays) * Self.day }
}
