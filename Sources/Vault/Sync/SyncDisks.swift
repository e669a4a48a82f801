/// The disks that are mounted below a folder, beside those that were when it was last in step.
struct SyncDisks {
    /// What each is known by (`SyncDisk.number`), those that are missing for now among them, by the bytes of their names.
    private(set) var numbers: [[UInt8]: UInt64] = [:]
    /// The names below which nothing is taken for removed.
    private(set) var unsure = SyncLeft()
    /// Their paths.
    private(set) var others: [String] = []

    /// - Parameters:
    ///   - listing: what is in the folder. A disk that is gone is left alone with all that the vault has of it.
    ///   - known: what the disks were known by; `nil` where there was no last time, or another folder.
    ///   - entries: what the vault has, by the bytes of the names in the folder.
    init(
        _ listing: inout SyncListing,
        in place: SyncFolder,
        _ known: [[UInt8]: UInt64]?,
        _ entries: some Sequence<[UInt8]>
    ) {
        for (name, disk) in listing.disks { numbers[name.key] = disk.number }
        guard let known else { return }
        for key in Set(known.keys).union(numbers.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let (before, now) = (known[key], numbers[key])
            guard before != now || now == 0, let name = try? VaultName(bytes: key) else { continue }
            let inside = key + [UInt8(ascii: "/")]
            let isEmpty = !listing.files.contains { $0.name.key.starts(with: inside) }
            if now == nil, isEmpty, entries.contains(where: { $0.starts(with: inside) }) {
                listing.refuse(name, at: place.path(of: name), .notAFile(place.path(of: name), .unmounted))
                numbers[key] = before
            } else {
                unsure.insert(name)
                others.append(place.path(of: name))
            }
        }
    }
}
