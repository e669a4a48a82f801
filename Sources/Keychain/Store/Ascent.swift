/// Whether the rows of a table ascend, each behind the one before.
struct Ascent {
    /// Whether they did so far, in every table.
    private(set) var isUnbroken = true
    private var number: Int64?
    private var entry: (hash: [UInt8], item: Int64)?

    /// Begins with another table.
    mutating func begin() { number = nil }

    /// Takes the next row of a table by its number.
    mutating func take(_ next: Int64) {
        if let number, next <= number { isUnbroken = false }
        number = next
    }

    /// Takes the next entry of the index, which goes by the hash, then by the item.
    mutating func take(_ hash: [UInt8], _ item: Int64) {
        if let entry {
            let isBehind = hash == entry.hash ? item > entry.item : entry.hash.lexicographicallyPrecedes(hash)
            if !isBehind { isUnbroken = false }
        }
        entry = (hash, item)
    }
}
