import MildamSystem

/// An error of this library, one case of which is that the operating system refused.
protocol SystemFailure: Error {
    static func io(_ error: SystemError) -> Self
}

extension SystemFailure {
    /// Does what the system may refuse, and reports the refusal as an error of this kind.
    static func reporting<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(Self) -> Result {
        do {
            return try body()
        } catch {
            throw .io(error)
        }
    }
}
