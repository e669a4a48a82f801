import Foundation

/// A database's file, changed byte by byte as no SQLite would ("Database File Format", section 1.6).
struct SQLiteFile {
    private let path: String
    private var bytes: [UInt8]
    private let pageSize: Int

    init(_ path: String) throws {
        self.path = path
        bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    }

    func write() throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// Gives the row with a number another one, where it lies; both are below 128.
    ///
    /// - Returns: whether there was one.
    mutating func renumber(_ number: UInt8, to new: UInt8, root: Int) -> Bool {
        for page in pages(root) where bytes[header(page)] == 13 {
            for cell in cells(page) {
                let place = cell + (0..<9).prefix { bytes[cell + $0] & 0x80 != 0 }.count + 1
                guard bytes[place] == number else { continue }
                bytes[place] = new
                return true
            }
        }
        return false
    }

    /// Has each leaf of a tree tell its entries backwards.
    mutating func reverseLeaves(root: Int) {
        for page in pages(root) where bytes[header(page)] == 13 || bytes[header(page)] == 10 {
            let pointers = (0..<count(page)).map { header(page) + 8 + 2 * $0 }
            let reversed = pointers.reversed().map { (bytes[$0], bytes[$0 + 1]) }
            for (pointer, value) in zip(pointers, reversed) { (bytes[pointer], bytes[pointer + 1]) = value }
        }
    }

    /// Has the first signpost of a table's tree say that what is left of it ends at the row 1.
    ///
    /// - Returns: whether there is one.
    mutating func misguide(root: Int) -> Bool {
        guard bytes[header(root)] == 5, let cell = cells(root).first, bytes[cell + 4] < 0x80 else { return false }
        bytes[cell + 4] = 1
        return true
    }

    private func header(_ page: Int) -> Int { (page - 1) * pageSize + (page == 1 ? 100 : 0) }
    private func number(_ place: Int, _ size: Int) -> Int {
        bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
    }
    private func count(_ page: Int) -> Int { number(header(page) + 3, 2) }

    private func cells(_ page: Int) -> [Int] {
        let size = bytes[header(page)] == 5 || bytes[header(page)] == 2 ? 12 : 8
        return (0..<count(page)).map { (page - 1) * pageSize + number(header(page) + size + 2 * $0, 2) }
    }

    private func pages(_ root: Int) -> [Int] {
        guard bytes[header(root)] == 5 || bytes[header(root)] == 2 else { return [root] }
        let children = cells(root).map { number($0, 4) } + [number(header(root) + 8, 4)]
        return [root] + children.flatMap { pages($0) }
    }
}
