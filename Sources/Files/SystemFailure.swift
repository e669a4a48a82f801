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

extension NewFile {
    /// Runs `body` on a new file, and gives the file its name once it is synced.
    static func write<Result, Failure: SystemFailure>(
        _ path: String,
        replacing: Bool = true,
        _ body: (borrowing Descriptor) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var file = try Failure.reporting { () throws(SystemError) in try NewFile(for: path) }
        let result = try body(file.descriptor)
        do throws(SystemError) { try file.publish(replacing: replacing) } catch { throw .io(error) }
        return result
    }
}
