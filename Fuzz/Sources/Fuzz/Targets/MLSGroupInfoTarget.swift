@testable import MildamMLS

extension FuzzTarget {
    /// A GroupInfo, which somebody joins by from outside.
    static let mlsGroupInfo = FuzzTarget(
        name: "mls-group-info",
        source: .network,
        seeds: { [MLSSeeds.all.info.wireBytes] },
        take: { input in
            guard let info = oneForm(GroupInfo.self, input) else { return }
            planted(info.groupContext.epoch != 1)
            guard isFollowed(info) else { return }
            let changed = try? GroupInfo(wireBytes: withOneBitFlipped(input))
            mustHold(changed.map(isFollowed) != true, "a GroupInfo that was changed is followed by nobody")
        }
    )
}

/// Whether somebody joins by this GroupInfo from outside.
private func isFollowed(_ info: GroupInfo) -> Bool {
    (try? ExternalJoin(info, with: MLSSeeds.all.bundle, environment: MLSSeeds.environment)) != nil
}
