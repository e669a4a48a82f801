/// How long the write-ahead log may become, and who moves it into the database when.
///
/// Most of it is moved beside the commits. What these write meanwhile stays behind; once that is little, the writer
/// moves it between two commits: only when nothing is left does the log start anew.
struct LogLength {
    /// What is to be done after a commit.
    enum Step {
        case nothing
        /// Move it beside the commits.
        case beside
        /// Move it before the next commit.
        case atOnce
    }

    /// Pages from which on it is moved. What is committed while the last of it is moved waits, so that it is seldom done.
    static let long = 32_000
    /// Pages that are moved so quickly that a commit can wait for them.
    static let little = 400
    /// Pages that are not waited for any longer.
    static let tooLong = 96_000
    /// How large a page is, in bytes: what SQLite makes them.
    static let pageSize = 4_096
    /// Pages after which it is asked anew how much room the disk has, and tried again what could not be done.
    static let interval = 256

    private var pages = 0
    private var unmoved = 0
    private var untilAsked = 0
    private var untilTried = 0
    private var limit = long

    /// Whether the disk has less room than the log may take: the log is to give its own back.
    var isCramped: Bool { limit < Self.long }

    /// What to do after a commit of so many pages.
    ///
    /// The log takes no more than what is left on the disk: to move it takes room, too.
    ///
    /// - Parameters:
    ///   - isMoving: whether what was begun beside the commits goes on.
    ///   - room: how many pages there is room for.
    mutating func step(afterWriting written: Int, isMoving: Bool, room: () -> Int) -> Step {
        pages += written
        unmoved += written
        untilAsked -= written
        untilTried -= written
        if untilAsked <= 0 {
            untilAsked = Self.interval
            limit = min(Self.long, max(Self.little, room()))
        }
        guard pages >= limit, !isMoving || pages >= Self.tooLong else { return .nothing }
        guard unmoved > Self.little, pages < Self.tooLong else { return untilTried > 0 ? .nothing : .atOnce }
        unmoved = 0
        return .beside
    }

    /// Notes that all was moved.
    mutating func restart() { (pages, unmoved, untilTried) = (0, 0, 0) }

    /// Notes that it could not be: somebody reads an older state. Not each commit is to wait for that.
    mutating func postpone() { untilTried = Self.interval }
}
