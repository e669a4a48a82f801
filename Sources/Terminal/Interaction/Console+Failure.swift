import MildamSystem

extension Console {
    /// Says on standard error why a program ends: one line, whatever the error holds; the two lines of a `UsageError`.
    ///
    /// - Parameter program: whose line it is.
    /// - Returns: the status to end with; `.done` where nobody reads any more.
    public func failure(_ error: any Error, of program: String) -> ExitStatus {
        switch error {
        case let error as SystemError where error.isReaderGone: return .done
        case let error as UsageError: complain("\(error)")
        default: complain("\(program): \(TerminalText.sanitized("\(error)"))")
        }
        return ExitStatus(error)
    }

    /// Says why a command fails: as an object where programs ask for one, otherwise on standard error, and there as well where
    /// the object cannot be printed.
    ///
    /// - Parameters:
    ///   - text: why, safe to print.
    ///   - program: whose line it is.
    public func tell(ofFailure text: String, _ status: ExitStatus, asObject: Bool, of program: String) {
        let isPrinted = asObject && (try? print(try JSONLine.text(ofFailure: text, status))) != nil
        if !isPrinted { complain("\(program): \(text)") }
    }
}
