/// A copy of a state that a keychain was in: a file, sealed as the keychain's own.
public struct KeychainCopy: Hashable, Sendable {
    /// Which state: how often the keychain had been changed.
    public let number: UInt64
    /// When it was copied, in milliseconds since 1970.
    public let time: Int64
    /// The file.
    public let path: String

    init(number: UInt64, time: Int64, in folder: String) {
        self.number = number
        self.time = time
        path = "\(folder)/\(time)-\(number).db"
    }

    /// - Returns: `nil` for a file that has another name than ours: no state and no time gets to 2⁶².
    init?(named name: String, in folder: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasSuffix(".db"), let time = Int64(parts[0]),
            let number = UInt64(parts[1].dropLast(3)), (0..<1 << 62).contains(time), number < 1 << 62
        else { return nil }
        self.init(number: number, time: time, in: folder)
        // One name for each copy.
        guard path == folder + "/" + name else { return nil }
    }
}
