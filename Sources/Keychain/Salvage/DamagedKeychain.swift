import Glibc
import MildamStorage
import MildamSystem

/// The rows of a keychain that can be read in a file which SQLite may no longer read, by their form. None is believed before it
/// has been opened.
struct DamagedKeychain {
    /// The file's bytes, and those of its log; empty where there is none.
    let file: [UInt8]
    let log: [UInt8]
    /// The file's bytes with what its log has of them.
    let merged: [UInt8]
    /// The most keychains that a file can say that it is. What is beyond was put there.
    static let maximumNames = 32
    /// The most slots that are taken from a file: many times what one has, as free pages hold earlier ones.
    static let maximumSlots = 8 * LocalKeychain.maximumSlots

    /// Which keychains it says that it is, each once, and when they were made, in milliseconds since 1970.
    private(set) var names: [(identifier: KeychainIdentifier, created: Int64)] = []
    /// Each in as many forms as were found, and each form once.
    private(set) var slots: [SlotRow] = []
    /// Each item in as many forms as were found.
    private(set) var items: [Int64: [ItemRow]] = [:]
    /// What items were before, each in as many forms as were found.
    private(set) var past: [PastRow] = []
    /// Heads, grants and lines of the audit log.
    private(set) var records: [(number: Int64, sealed: [UInt8])] = []
    /// The items that the index names.
    private(set) var indexed: Set<Int64> = []

    /// Reads a keychain's file; one that is gone has no rows.
    ///
    /// - Throws: `io`.
    init(at path: String) throws(KeychainError) {
        do throws(SystemError) {
            try TrustedFolder.check(Folder.parent(of: path), othersMayLook: true)
            try TrustedFolder.check(file: path)
            file = try Self.bytes(of: path)
            log = try Self.bytes(of: path + "-wal")
        } catch {
            throw .io(error)
        }
        let database = DamagedDatabase(file: file, log: log)
        merged = database.bytes
        database.forEachRow { take($0) }
    }

    private static func bytes(of path: String) throws(SystemError) -> [UInt8] {
        do throws(SystemError) { return try WholeFile.read(path, limit: Database.maximumImage) } catch {
            guard error.code == ENOENT else { throw error }
            return []
        }
    }

    /// No keychain gets further: a higher number was put there.
    static let numbers = 1..<Int64(1) << 62

    private mutating func take(_ row: SalvagedRow) {
        let values = row.values
        guard let number = row.number else {
            guard values.count == 2, case .integer(let item) = values[1], Self.numbers.contains(item) else { return }
            indexed.insert(item)
            return
        }
        guard Self.numbers.contains(number) else { return }
        if values.count == 9, case .integer(let item) = values[1], Self.numbers.contains(item),
            case .bytes(let note) = values[8], let row = ItemRow(item, [.null] + values[2...7])
        {
            past.append(PastRow(number: number, item: row, note: note))
        } else if values.count >= 7, let item = ItemRow(number, values) {
            items[number, default: []].append(item)
        } else if values.count == 3, case .bytes(let first) = values[1] {
            switch values[2] {
            case .integer(let time):
                guard number == 1, names.count < Self.maximumNames, let known = KeychainIdentifier(first),
                    !names.contains(where: { $0.identifier == known && $0.created == time })
                else { return }
                names.append((known, time))
            case .bytes(let sealed):
                let slot = SlotRow(number: number, parameters: first, sealed: sealed)
                guard slots.count < Self.maximumSlots, !slots.contains(slot) else { return }
                slots.append(slot)
            case .null, .other: return
            }
        } else if values.count == 2, case .bytes(let sealed) = values[1] {
            records.append((number, sealed))
        }
    }
}

extension ItemRow {
    /// - Returns: `nil` for values that are not those of an item.
    fileprivate init?(_ number: Int64, _ values: [SalvagedRow.Value]) {
        guard case .integer(let version) = values[1], case .integer(let itemClass) = values[2],
            case .integer(let accessibility) = values[3], case .bytes(let attributes) = values[4],
            case .bytes(let key) = values[5], case .bytes(let secret) = values[6]
        else { return nil }
        self.init(
            number: number,
            version: version,
            itemClass: itemClass,
            accessibility: accessibility,
            attributes: attributes,
            key: key,
            secret: secret
        )
    }
}
