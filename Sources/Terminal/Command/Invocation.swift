/// A command line that was understood: which command, with which arguments.
public struct Invocation: Equatable, Sendable {
    /// The command, as the table has it.
    public let command: CommandSpec
    /// The arguments of each operand that has any.
    public let operands: [String: [String]]
    /// What was given for each option, by its long name; a flag has empty strings, one for each time.
    public let options: [String: [String]]

    /// The options that it may have had: its own, and those of every command.
    let known: [OptionSpec]
    /// "mildam room create", for messages.
    public let fullName: String

    init(
        _ command: CommandSpec,
        operands: [String: [String]],
        options: [String: [String]],
        known: [OptionSpec],
        fullName: String
    ) {
        self.command = command
        self.operands = operands
        self.options = options
        self.known = known
        self.fullName = fullName
    }

    /// The words of the command.
    public var path: [String] { command.path }

    /// The argument of an operand that takes exactly one.
    ///
    /// - Precondition: the command's table has such an operand; the parser has seen to the rest.
    public func operand(_ name: String) -> String {
        guard let value = operands(name).first else { preconditionFailure("the table promises no \(name)") }
        return value
    }

    /// The argument of an operand that may be left out.
    public func optionalOperand(_ name: String) -> String? {
        operands(name).first
    }

    /// The arguments of an operand that takes several.
    public func operands(_ name: String) -> [String] {
        assert(command.operands.contains { $0.name == name }, "'\(command.name)' has no operand \(name)")
        return operands[name] ?? []
    }

    /// Whether a flag was given.
    public func flag(_ long: String) -> Bool {
        !values(long).isEmpty
    }

    /// The value of an option, if it was given.
    public func value(_ long: String) -> String? {
        values(long).first
    }

    /// Each value of an option that may be repeated.
    public func values(_ long: String) -> [String] {
        assert(known.contains { $0.long == long }, "'\(command.name)' has no option --\(long)")
        return options[long] ?? []
    }

    /// The value of an option as a decimal number in `range`.
    ///
    /// - Throws: `UsageError` for anything else, a sign or space included.
    public func integer<Value: FixedWidthInteger>(
        _ long: String,
        in range: ClosedRange<Value>
    ) throws(UsageError) -> Value? {
        guard let text = value(long) else { return nil }
        let digits = text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard digits, let number = Value(text), range.contains(number) else {
            throw UsageError(
                .invalidValue(
                    name: "--\(long)",
                    expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
                ),
                command: fullName
            )
        }
        return number
    }
}
