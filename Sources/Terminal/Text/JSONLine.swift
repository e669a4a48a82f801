import FoundationEssentials

/// Answers for programs: one line of JSON each, which acts on no terminal.
public enum JSONLine {
    /// A value; its keys are in order.
    public static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return TerminalText.escaped(json: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// A failure: `{"error":{"message":"…","status":1}}`.
    public static func text(ofFailure message: String, _ status: ExitStatus) throws -> String {
        try text(of: ["error": Failure(message: message, status: status.rawValue)])
    }

    private struct Failure: Encodable {
        let message: String
        let status: Int32
    }
}
