import MildamStorage

/// Who says what the store holds.
protocol FactSource: AnyObject {
    /// Has the facts learn what the store holds under these keys. What was applied before is part of it.
    func load(_ keys: [FactKey], into facts: inout Facts) throws(StorageError)
}
