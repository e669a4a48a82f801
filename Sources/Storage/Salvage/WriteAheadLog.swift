/// The pages that a write-ahead log holds ("Write-Ahead Log Format", section 4.1). Its checksums are not looked at: what the
/// pages hold has to prove itself.
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
        var pending: [Int: Int] = [:]
        var frame = 32
        while frame + 24 + size <= bytes.count {
            // Frames of an earlier round of the log have other salts.
            guard bytes[frame + 8..<frame + 16] == bytes[16..<24] else { break }
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
