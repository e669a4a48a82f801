import MildamFiles
import MildamTerminal

/// What is wrong with a file of keys, and which it is.
struct KeyFileError: EndsWithStatus, CustomStringConvertible {
    let path: String
    let error: AgeKeyError
    var exitStatus: ExitStatus { error.exitStatus }

    var description: String {
        // The system's own errors name the file.
        if case .io = error { "\(error)" } else { "\(path): \(error)" }
    }

    static func naming<Result>(_ path: String, _ body: () throws(AgeKeyError) -> Result) throws(KeyFileError) -> Result
    {
        do throws(AgeKeyError) { return try body() } catch { throw KeyFileError(path: path, error: error) }
    }
}

extension Action {
    /// Where the keys are that an option names: "-" is standard input.
    ///
    /// - Throws: `UsageError` where standard input is what is to be read with them.
    func keyFile(_ path: String, of option: String) throws(UsageError) -> String {
        guard path == "-" else { return path }
        let hasInput = invocation.command.operands.contains { $0.name == "INPUT" }
        guard !hasInput || invocation.optionalOperand("INPUT").map({ $0 != "-" }) == true else {
            throw wrong("--\(option)", "a file: standard input is the content already")
        }
        try claimStandardInput()
        return "/dev/stdin"
    }
}
