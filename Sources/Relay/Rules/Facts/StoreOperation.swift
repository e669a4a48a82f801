import MildamRelayAPI

/// One thing that is done to the relay's store: a value with all that it takes, and a rule that decides.
///
/// The rule reads facts and writes facts. It knows no store, no clock and no random source: what is drawn is a member. It may
/// be judged more than once, each time from the start.
protocol StoreOperation<Value>: Sendable {
    associatedtype Value: Sendable

    /// What it will surely ask for: a store that is far away can have it ready.
    var prefetch: [FactKey] { get }

    /// How many bytes it holds.
    var weight: Int { get }

    /// How many rows it will look at or write, about.
    var rows: Int { get }

    /// Decides, and writes what follows. What a refusal wrote is dropped, unless it asked to keep it.
    ///
    /// - Parameter now: when it is taken to happen, in milliseconds since 1970.
    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Value, APIError>
}

extension StoreOperation {
    var prefetch: [FactKey] { [] }
    var weight: Int { 0 }
    var rows: Int { 1 }
}
