/// What is and was called what, as the copy of the names says from its beginning to its end.
struct NamesState: Equatable {
    /// What each name has.
    private(set) var present: [VaultName: NameRecord] = [:]
    /// What each name had.
    private(set) var former: [VaultName: [NameRecord]] = [:]

    /// All that is said, the present first, in the order of names.
    var records: [NameRecord] {
        let former = self.former.values.joined().sorted { ($0.name, $0.replaced ?? 0) < ($1.name, $1.replaced ?? 0) }
        return present.values.sorted { $0.name < $1.name } + former
    }

    /// Takes in what is said next.
    mutating func apply(_ record: NameRecord) {
        let name = record.name
        guard record.replaced == nil else {
            former[name, default: []].append(record)
            return
        }
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
            former[name] = (former[name] ?? []).filter { $0.digest != record.digest } + [old]
        }
        // Something else may get the name of before.
        present[name] = record
        present[name]?.was = nil
    }
}
