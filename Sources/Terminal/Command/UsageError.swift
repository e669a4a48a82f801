/// A command line that the table does not allow. Programs end with `ExitStatus.usage`.
///
/// The message repeats names of options and commands, never a value: that may have been a password.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Problem: Equatable, Sendable {
        /// Nothing was asked for.
        case missingCommand
        /// No command has this word here.
        case unknownCommand(String)
        /// No option is written so here.
        case unknownOption(String)
        /// An option stands without its value.
        case missingValue(option: String, placeholder: String)
        /// A flag was given a value.
        case unexpectedValue(option: String)
        /// An option was given twice that may be given once.
        case repeatedOption(String)
        /// Without this option there is nothing to be done here.
        case missingOption(String, placeholder: String)
        /// A value is not one that the option or operand accepts.
        case invalidValue(name: String, expected: String)
        /// An operand was not given.
        case missingOperand(String)
        /// The command is for a person at a terminal; what to use otherwise.
        case needsTerminal(instead: String)
        /// More arguments than the command takes.
        case extraOperands(given: Int, most: Int)
    }

    /// What is wrong.
    public let problem: Problem
    /// What was probably meant.
    public let suggestion: String?
    /// The commands that may have been meant, where there are several.
    public let candidates: [String]
    /// The program and command that it was said to: "mildam room create".
    public let command: String

    /// Makes an error about `command`.
    public init(_ problem: Problem, suggestion: String? = nil, candidates: [String] = [], command: String) {
        self.problem = problem
        self.suggestion = suggestion
        self.candidates = candidates
        self.command = command
    }

    /// Two lines: what is wrong and what was probably meant; where to look it up.
    public var description: String {
        let meant = (suggestion.map { [$0] } ?? candidates).map { "'\($0)'" }
        let listed = (meant.dropLast(2) + [meant.suffix(2).joined(separator: " or ")]).joined(separator: ", ")
        let question = meant.isEmpty ? "" : " Did you mean \(listed)?"
        return "\(said).\(question)\nSee '\(command) --help'."
    }

    private var said: String {
        switch problem {
        case .missingCommand: "a command is missing"
        case .unknownCommand(let word): "there is no command '\(Self.shown(word))'"
        case .unknownOption(let option): "there is no option '\(Self.shown(option))'"
        case .missingOption(let option, let placeholder): "\(option) \(placeholder) is missing"
        case .missingValue(let option, let placeholder): "\(option) needs a value: \(option) \(placeholder)"
        case .unexpectedValue(let option): "\(option) takes no value"
        case .repeatedOption(let option): "\(option) is given more than once"
        case .invalidValue(let name, let expected): "\(name) must be \(expected)"
        case .missingOperand(let name): "\(name) is missing"
        case .needsTerminal(let instead): "it is for a person at a terminal; use \(instead)"
        case .extraOperands(let given, 0): "no arguments are expected, \(given) given"
        case .extraOperands(let given, let most): "too many arguments: \(given) given, at most \(most) expected"
        }
    }

    private static func shown(_ argument: String) -> String {
        DisplayWidth.truncated(TerminalText.sanitized(String(argument.unicodeScalars.prefix(64))), to: 60)
    }
}
