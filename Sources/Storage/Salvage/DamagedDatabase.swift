/// The rows of a database whose file is damaged: each leaf of a tree is looked for page by page, so that what leads to it may
/// be lost ("Database File Format", section 1.6). Nothing here is believed: whoever takes a row has to know that it is
/// genuine.
///
/// What is deleted is overwritten in a file of this program's (`secure_delete`), so that it does not come back by this.
public struct DamagedDatabase: Sendable {
    /// The pages, one after the other, with what the write-ahead log has of them.
    public let bytes: [UInt8]
    private let pageSize: Int
    /// How much of a page is used.
    private let usable: Int

    /// The most bytes of a row: what an item of a keychain has at most, and as much again.
    private static let maximumRow = 16 << 20

    /// Takes a file's bytes apart.
    ///
    /// - Parameters:
    ///   - file: the database's file, cut and changed in whatever way.
    ///   - log: its write-ahead log; what was committed there is newer.
    public init(file: [UInt8], log: [UInt8] = []) {
        let log = WriteAheadLog(log)
        pageSize = log?.pageSize ?? Self.pageSize(file)
        let reserved = file.count > 20 && file[20] <= 32 ? Int(file[20]) : 0
        usable = pageSize - reserved
        bytes = log?.laid(over: file) ?? file
    }

    /// The page size that a header names; SQLite's own for a header that cannot be right.
    private static func pageSize(_ file: [UInt8]) -> Int {
        guard file.count >= 100 else { return 4096 }
        let size = Int(file[16]) << 8 | Int(file[17])
        if size == 1 { return 65_536 }
        return size >= 512 && size & (size - 1) == 0 ? size : 4096
    }

    /// Hands over each row that can be read, of all tables and indexes, in the order of the pages.
    public func forEachRow(_ body: (SalvagedRow) -> Void) {
        // A forged file may lead to the same pages from each of its rows.
        var budget = 4 * bytes.count
        var page = 0
        while page * pageSize < bytes.count {
            for row in rows(page, &budget) { body(row) }
            page += 1
        }
    }

    /// The rows of a page, which is counted from zero.
    private func rows(_ page: Int, _ budget: inout Int) -> [SalvagedRow] {
        let start = page * pageSize
        let header = start + (page == 0 ? 100 : 0)
        guard header + 8 <= bytes.count, bytes[header] == 13 || bytes[header] == 10 else { return [] }
        let isTable = bytes[header] == 13
        var rows: [SalvagedRow] = []
        for cell in 0..<number(header + 3, 2) {
            let pointer = header + 8 + 2 * cell
            guard pointer + 2 <= min(start + usable, bytes.count) else { break }
            guard let found = row(start + number(pointer, 2), page, isTable: isTable, &budget) else { continue }
            rows.append(found)
        }
        return rows
    }

    private func row(_ cell: Int, _ page: Int, isTable: Bool, _ budget: inout Int) -> SalvagedRow? {
        guard let (size, afterSize) = bytes.varint(at: cell), let count = Int(exactly: size), count <= Self.maximumRow,
            count <= budget
        else { return nil }
        var place = afterSize
        var number: Int64?
        if isTable {
            guard let (value, next) = bytes.varint(at: place) else { return nil }
            number = Int64(bitPattern: value)
            place = next
        }
        budget -= count
        guard let content = record(count, at: place, page, isTable: isTable) else { return nil }
        return SalvagedRow(number: number, record: content)
    }

    /// The bytes of a record, a part of which may lie in pages of their own.
    private func record(_ count: Int, at place: Int, _ page: Int, isTable: Bool) -> [UInt8]? {
        let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        var local = count
        if count > most {
            let least = (usable - 12) * 32 / 255 - 23
            let wanted = least + (count - least) % (usable - 4)
            local = wanted <= most ? wanted : least
        }
        let end = min(page * pageSize + usable, bytes.count)
        guard local >= 0, place + local <= end else { return nil }
        var record = [UInt8](bytes[place..<place + local])
        guard local < count else { return record }
        guard place + local + 4 <= end else { return nil }
        var next = number(place + local, 4)
        while record.count < count {
            // Pages are counted from one.
            let start = (next - 1) * pageSize
            guard next > 0, start + 4 <= bytes.count else { return nil }
            let part = min(usable - 4, count - record.count)
            guard start + 4 + part <= bytes.count else { return nil }
            record += bytes[start + 4..<start + 4 + part]
            next = number(start, 4)
        }
        return record
    }

    private func number(_ place: Int, _ size: Int) -> Int {
        bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
    }
}
