/// How large worlds are, and which part of their plans is played.
package struct WorldSize: Hashable, Sendable {
    /// How many operations.
    package let operations: Int
    /// How many people with one device each: 2 to 200.
    package let devices: UInt8
    /// Which relay they have.
    package let relay: RelayKind

    /// A size.
    package init(operations: Int, devices: UInt8, relay: RelayKind = .usual) {
        self.operations = operations
        self.devices = devices
        self.relay = relay
    }

    /// Plays a world.
    ///
    /// - Parameter only: the places in the plan of what is done; `nil` for all.
    package func play(_ seed: UInt64, only: Set<Int>? = nil) -> RunResult {
        let plan = Plan(seed: seed, operations: operations, devices: devices)
        switch relay {
        case .store:
            let relay = StoreRelay((1...devices).map { Cast.device($0) })
            return Simulation(seed: seed, plan: plan, devices: devices, relay: relay, only: only).play()
        case .model:
            var relay = ModelRelay()
            relay.limitsRates = true
            relay.checksBlobs = true
            relay.checksIdentities = true
            return Simulation(seed: seed, plan: plan, devices: devices, relay: relay, only: only).play()
        }
    }

    /// Leaves out operations for as long as the same check fails.
    ///
    /// - Parameter progress: is told how many operations are left.
    /// - Returns: the operations that are left; `nil` where nothing fails.
    package func shrink(_ seed: UInt64, progress: (Int) -> Void) -> [Int]? {
        guard let check = play(seed).failures.first?.check else { return nil }
        return Shrinker.shrink(operations) { places in
            guard play(seed, only: Set(places)).failures.first?.check == check else { return false }
            progress(places.count)
            return true
        }
    }
}
