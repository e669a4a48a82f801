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

    /// Pages from which on it is moved.
    static let long = 16_000
    /// Pages that are moved so quickly that a commit can wait for them.
    static let little = 400
    /// Pages that are not waited for any longer.
    static let tooLong = 48_000

    private var pages = 0
    private var unmoved = 0

    /// What to do after a commit of so many pages.
    ///
    /// - Parameter isMoving: whether what was begun beside the commits goes on.
    mutating func step(afterWriting written: Int, isMoving: Bool) -> Step {
        pages += written
        unmoved += written
        guard pages >= Self.long, !isMoving || pages >= Self.tooLong else { return .nothing }
        if unmoved > Self.little, pages < Self.tooLong {
            unmoved = 0
            return .beside
        }
        self = LogLength()
        return .atOnce
    }
}
