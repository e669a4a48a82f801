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

    /// The words that are accepted, if they are a closed set.
    var choices: [String]? {
        guard case .choices(let words) = self else { return nil }
        return words
    }
}
