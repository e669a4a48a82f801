/// Who does what a step asks for.
public protocol CoreDelivery {
    /// Does it, or begins to; what comes of it is something that happens later.
    mutating func perform(_ effect: Effect)
}

/// A client with a place to keep it and somebody who does what it asks for, in the one order that is safe: what a step asks for
/// is done when the step is stored, and where it cannot be stored, the step was not made.
public struct StoredCore<Store: CoreStore, Delivery: CoreDelivery> {
    /// The client.
    public private(set) var core: ClientCore
    /// Where it is kept.
    public var store: Store
    /// Who does what it asks for.
    public var delivery: Delivery

    /// A client, and what it stands on.
    public init(_ core: ClientCore, store: Store, delivery: Delivery) {
        self.core = core
        self.store = store
        self.delivery = delivery
    }

    /// Makes a step.
    ///
    /// - Throws: what the store throws; the client is as it was before.
    public mutating func take(_ happenings: [Happening], at moment: Moment) throws {
        var next = core
        for room in core.sleepers(neededBy: happenings, at: moment) {
            next.wake(room, with: try store.group(of: room))
        }
        let step = next.step(happenings, at: moment)
        if !step.changes.isEmpty { try store.store(step.changes) }
        next.rest(at: moment)
        core = next
        for effect in step.effects { delivery.perform(effect) }
    }
}
