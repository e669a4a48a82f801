/// Who may bring somebody into a room that does not know them.
public enum RequestPolicy: String, Sendable, CaseIterable {
    /// Anybody; what they send waits in the strangers' part.
    case open
    /// Whoever shows a link of theirs.
    case linkOnly = "link-only"
}
