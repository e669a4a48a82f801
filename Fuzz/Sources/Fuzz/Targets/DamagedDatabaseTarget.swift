import MildamStorage

extension FuzzTarget {
    /// The pages of a database that is damaged, or of its write-ahead log.
    static let damagedDatabase = FuzzTarget(
        name: "damaged-database",
        source: .file,
        seeds: {
            // Pages of 512 bytes; the second is a leaf with one row, number 7: the integer 1.
            var file = [UInt8](repeating: 0, count: 1024)
            file[16] = 2
            file[512] = 13
            file[516] = 1
            file.replaceSubrange(520..<522, with: [1, 0xfc])
            file.replaceSubrange(1020..<1024, with: [2, 7, 2, 9])
            return [file]
        },
        take: { input in
            for database in [DamagedDatabase(file: input), DamagedDatabase(file: [], log: input)] {
                database.forEachRow { row in
                    planted((row.number ?? 7) != 7)
                    mustHold(row.values.count <= 100, "a row has at most 100 columns")
                }
            }
        }
    )
}
