import MildamClientCore

/// What a step asks for, in its order, until it is done.
struct EffectQueue: CoreDelivery {
    private var effects: [Effect] = []

    mutating func perform(_ effect: Effect) { effects.append(effect) }

    /// Takes all there are.
    mutating func takeAll() -> [Effect] {
        defer { effects = [] }
        return effects
    }
}
