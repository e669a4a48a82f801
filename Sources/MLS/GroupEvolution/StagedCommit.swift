/// A commit of one's own, and what the group is after it.
final class StagedCommit: Sendable {
    /// The message by which it is known when it comes back.
    let message: MLSMessage
    /// The group after it.
    let next: Group

    init(_ message: MLSMessage, _ next: Group) {
        self.message = message
        self.next = next
    }
}

extension Group {
    /// Makes a commit of one's own count: the delivery service has ordered it first.
    ///
    /// - Throws: `nothingPending`.
    public mutating func mergeStagedCommit() throws(MLSError) {
        guard let staged else { throw .nothingPending }
        self = staged.next
    }

    /// Gives a commit of one's own up: the delivery service has ordered another.
    public mutating func discardStagedCommit() { staged = nil }
}
