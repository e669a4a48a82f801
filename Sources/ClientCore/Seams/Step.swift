/// What came of what happened.
public struct Step: Sendable {
    /// What is to be stored first, in one transaction. Where that fails, nothing has happened: the core is as it was.
    public let changes: [StoreChange]
    /// What is to be done then, in this order.
    public let effects: [Effect]
}
