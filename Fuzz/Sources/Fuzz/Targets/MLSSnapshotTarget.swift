@testable import MildamMLS

extension FuzzTarget {
    /// A group as a delivery service has kept it.
    static let mlsSnapshot = FuzzTarget(
        name: "mls-snapshot",
        source: .file,
        seeds: { [MLSSeeds.all.group.publicGroup.snapshot, proposed().snapshot] },
        take: { input in
            guard var group = try? PublicGroup(trusting: input) else { return }
            planted(group.context.epoch != MLSSeeds.all.group.publicGroup.context.epoch)
            let again = try? PublicGroup(trusting: group.snapshot)
            mustHold(again?.snapshot == group.snapshot, "a group that was kept can be kept again")
            for case .publicMessage(let message) in MLSSeeds.all.messages {
                _ = try? group.process(message, environment: MLSSeeds.environment)
            }
        }
    )
}

/// The group, with the proposals that wait in it.
private func proposed() -> PublicGroup {
    var group = MLSSeeds.all.group.publicGroup
    for case .publicMessage(let message) in MLSSeeds.all.messages.prefix(1) {
        _ = try? group.process(message, environment: MLSSeeds.environment)
    }
    return group
}
