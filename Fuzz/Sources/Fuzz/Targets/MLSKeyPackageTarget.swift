@testable import MildamMLS

extension FuzzTarget {
    /// A key package, which somebody is to be added by.
    static let mlsKeyPackage = FuzzTarget(
        name: "mls-key-package",
        source: .network,
        seeds: { [MLSSeeds.all.bundle.keyPackage.wireBytes] },
        take: { input in
            guard let keyPackage = oneForm(KeyPackage.self, input) else { return }
            planted(keyPackage.cipherSuite != .x25519AES128)
            guard isAdded(keyPackage) else { return }
            let changed = try? KeyPackage(wireBytes: withOneBitFlipped(input))
            mustHold(changed.map(isAdded) != true, "a key package that was changed adds nobody")
        }
    )
}

/// Whether a member of a group adds somebody by this key package.
private func isAdded(_ keyPackage: KeyPackage) -> Bool {
    var group = MLSSeeds.all.group
    var options = CommitOptions()
    options.proposals = [.add(keyPackage)]
    return (try? group.commit(options)) != nil
}
