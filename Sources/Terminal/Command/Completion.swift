/// What a shell offers where a value is expected.
public enum Completion: Sendable, Equatable {
    /// Nothing: only the person knows.
    case none
    /// The names of files and folders.
    case file
    /// The names of folders.
    case folder
    /// These words; any other is refused.
    case choices([String])
    /// The words of a command or a group of this program, one argument each.
    case commands
    /// Names that the program knows: what its unlisted command `complete` prints for this word, a line each. They are shown
    /// as they are, and never run by a shell.
    case names(String)

    /// The words that are accepted, if they are a closed set.
    var choices: [String]? {
        guard case .choices(let words) = self else { return nil }
        return words
    }
}
