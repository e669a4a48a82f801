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
}
