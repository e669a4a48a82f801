/// A text as one word of a POSIX shell, for commands that a person is told to type: a name that somebody else chose must
/// not become a command of its own.
public enum ShellWord {
    /// The text between single quotes.
    public static func quoted(_ text: String) -> String {
        var word = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
        }
        return word + "'"
    }
}
