/// Around which place of a room a window is opened.
public enum WindowPlace: Codable, Equatable, Sendable {
    /// The first item that was not read; the end where all were.
    case unread
    /// The end.
    case end
    /// The item of this number, or the next one.
    case number(at: UInt64)
}
