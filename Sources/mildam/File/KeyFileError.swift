import MildamFiles

/// What is wrong with a file of keys, and which it is.
struct KeyFileError: Error, CustomStringConvertible {
    let path: String
    let error: AgeKeyError

    var description: String {
        // The system's own errors name the file.
        if case .io = error { "\(error)" } else { "\(path): \(error)" }
    }

    static func naming<Result>(_ path: String, _ body: () throws(AgeKeyError) -> Result) throws(KeyFileError) -> Result
    {
        do throws(AgeKeyError) { return try body() } catch { throw KeyFileError(path: path, error: error) }
    }
}
