import FoundationEssentials

/// Searches files for secrets: raw, in hexadecimal, and in base64 at each of the three places a text can fall.
struct DiskSearch {
    private var needles: [UInt64: [[UInt8]]] = [:]
    /// How many forms are looked for.
    private(set) var count = 0

    /// Looks for these bytes, 12 of them or more: fewer have forms too short to be told from chance.
    mutating func add(_ secret: [UInt8]) {
        precondition(secret.count >= 12, "a secret of \(secret.count) bytes is too short to look for")
        insert(secret)
        let digits = Array("0123456789abcdef".utf8)
        insert(secret.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        for shift in 0..<3 {
            // Base64 of whole groups of three, without those that neighbours would change.
            let inner = secret.dropFirst((3 - shift) % 3)
            let whole = inner.prefix(inner.count / 3 * 3)
            if whole.count >= 9 { insert(Array(Data(whole).base64EncodedString().utf8)) }
        }
    }

    private mutating func insert(_ form: [UInt8]) {
        let key = form.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if needles[key, default: []].contains(form) { return }
        needles[key, default: []].append(form)
        count += 1
    }

    /// How many places in `bytes` hold something that is looked for.
    func matches(in bytes: [UInt8]) -> Int {
        guard bytes.count >= 8 else { return 0 }
        var filter = [Bool](repeating: false, count: 1 << 16)
        for key in needles.keys { filter[DiskSearch.slot(key)] = true }
        var found = 0
        var window: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            guard index >= 7, filter[DiskSearch.slot(window)], let forms = needles[window] else { continue }
            let start = index - 7
            for form in forms where start + form.count <= bytes.count {
                if bytes[start..<start + form.count].elementsEqual(form) { found += 1 }
            }
        }
        return found
    }

    private static func slot(_ key: UInt64) -> Int { Int((key &* 0x9e37_79b9_7f4a_7c15) >> 48) }
}
