/// The pages that a write-ahead log holds ("Write-Ahead Log Format", section 4.1), as far as SQLite itself would take them: a
/// power cut may leave whole frames behind one that is not, and they were never committed.
struct WriteAheadLog {
    /// In bytes: a power of two from 512 to 65,536.
    let pageSize: Int
    /// Where in the log the content of each committed page is, the pages counted from zero.
    private var places: [Int: Int] = [:]
    private let bytes: [UInt8]

    /// - Returns: `nil` for a log without a page.
    init?(_ bytes: [UInt8]) {
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard bytes.count >= 32, [0x377f_0682, 0x377f_0683].contains(number(0)) else { return nil }
        let size = number(8)
        guard (512...65_536).contains(size), size & (size - 1) == 0 else { return nil }
        pageSize = size
        self.bytes = bytes
        var sum = Checksum(isBigEndian: bytes[3] & 1 == 1)
        sum.add(bytes[..<24])
        guard sum.stands(at: 24, in: bytes) else { return nil }
        var pending: [Int: Int] = [:]
        var frame = 32
        while frame + 24 + size <= bytes.count {
            // Frames of an earlier round of the log have other salts.
            guard bytes[frame + 8..<frame + 16] == bytes[16..<24], number(frame) > 0 else { break }
            sum.add(bytes[frame..<frame + 8])
            sum.add(bytes[frame + 24..<frame + 24 + size])
            guard sum.stands(at: frame + 16, in: bytes) else { break }
            pending[number(frame) - 1] = frame + 24
            if number(frame + 4) > 0 {
                places.merge(pending) { $1 }
                pending = [:]
            }
            frame += 24 + size
        }
        guard !places.isEmpty else { return nil }
    }

    /// A file as it is with these pages.
    func laid(over file: [UInt8]) -> [UInt8] {
        // No page lies further behind the file's end than there are pages here.
        let most = file.count / pageSize + 1 + places.count
        let known = places.filter { (0..<most).contains($0.key) }
        let count = max(file.count, ((known.keys.max() ?? 0) + 1) * pageSize)
        var whole = file + [UInt8](repeating: 0, count: count - file.count)
        for (page, place) in known {
            whole.replaceSubrange(page * pageSize..<(page + 1) * pageSize, with: bytes[place..<place + pageSize])
        }
        return whole
    }
}

/// What the frames of a log come to, each together with all before it ("Write-Ahead Log Format", section 4.2).
private struct Checksum {
    /// The order in which the words are read that are added.
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    /// - Parameter bytes: a multiple of 8.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var place = bytes.startIndex
        while place + 8 <= bytes.endIndex {
            first = first &+ word(bytes, place) &+ second
            second = second &+ word(bytes, place + 4) &+ first
            place += 8
        }
    }

    private func word(_ bytes: ArraySlice<UInt8>, _ place: Int) -> UInt32 {
        var word: UInt32 = 0
        for byte in bytes[place..<place + 4] { word = word << 8 | UInt32(byte) }
        return isBigEndian ? word : word.byteSwapped
    }

    /// Whether this is what 8 bytes of the log say, which are big-endian always.
    func stands(at place: Int, in bytes: [UInt8]) -> Bool {
        let stored = bytes[place..<place + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return stored == UInt64(first) << 32 | UInt64(second)
    }
}
