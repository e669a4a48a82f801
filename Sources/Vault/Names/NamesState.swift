/// What is and was called what, as the copy of the names says from its beginning to its end.
struct NamesState: Equatable {
    /// What each name has.
    private(set) var present: [VaultName: NameRecord] = [:]
    /// What each name had: of each as many as a vault keeps, so that no file of names can make them ever more.
    private(set) var former: [VaultName: [NameRecord]] = [:]

    /// All that is said, the present first, in the order of names.
    var records: [NameRecord] {
        let former = self.former.values.joined().sorted { ($0.name, $0.replaced ?? 0) < ($1.name, $1.replaced ?? 0) }
        return present.values.sorted { $0.name < $1.name } + former
    }

    /// Takes in what is said next.
    mutating func apply(_ record: NameRecord) {
        let name = record.name
        guard record.replaced == nil else { return keep(record) }
        if let was = record.was, was != name {
            present[was] = nil
            former[name] = former.removeValue(forKey: was)?.map { version in
                var renamed = version
                renamed.name = name
                return renamed
            }
        }
        if var old = present[name], old.digest != record.digest {
            old.replaced = max(record.added &* 1000, (former[name]?.last?.replaced ?? 0) &+ 1)
            // What is restored is no former version any more.
            former[name]?.removeAll { $0.digest == record.digest }
            keep(old)
        }
        // Something else may get the name of before.
        present[name] = record
        present[name]?.was = nil
    }

    /// Keeps a former version; of too many, the oldest goes.
    private mutating func keep(_ version: NameRecord) {
        former[version.name, default: []].append(version)
        guard let versions = former[version.name], versions.count > Vault.maximumVersions,
            let oldest = versions.indices.min(by: { (versions[$0].replaced ?? 0) < (versions[$1].replaced ?? 0) })
        else { return }
        former[version.name]?.remove(at: oldest)
    }
}
