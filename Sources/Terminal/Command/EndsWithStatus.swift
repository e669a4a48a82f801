/// An error that says which status a command ends with because of it.
public protocol EndsWithStatus: Error {
    /// The status.
    var exitStatus: ExitStatus { get }
}

extension ExitStatus {
    /// The status that an error ends with: what it says itself, otherwise `.failed`.
    public init(_ error: any Error) {
        self = (error as? any EndsWithStatus)?.exitStatus ?? .failed
    }

    /// The status of a command that did many things: of those that failed, what they have in common, otherwise `.failed`;
    /// `.done` where none failed.
    public static func of(_ failures: some Sequence<ExitStatus>) -> ExitStatus {
        let different = Set(failures)
        guard different.count <= 1 else { return .failed }
        return different.first ?? .done
    }
}
