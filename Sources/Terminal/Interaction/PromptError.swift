import MildamSystem

/// Why there is no answer to a question.
public enum PromptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No terminal to ask on, for what if that is not plain; the option says the same without asking.
    case noTerminal(for: String? = nil, option: String)
    /// The terminal, the file or the stream ended before there was an answer.
    case ended
    /// Longer than `Prompt.longestSecret`.
    case tooLong
    /// A signal arrived that the program handles itself.
    case interrupted
    /// The terminal or the file failed.
    case system(SystemError)

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .noTerminal(nil, let option): "there is no terminal to ask on; use \(option)"
        case .noTerminal(let what?, let option): "there is no terminal to ask for \(what) on; use \(option)"
        case .ended: "there was no answer before the end of the input"
        case .tooLong: "the password is longer than \(Prompt.longestSecret) bytes"
        case .interrupted: "interrupted"
        case .system(let error): error.description
        }
    }
}
