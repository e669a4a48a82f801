/// What a file may ask of its reader.
public struct ImportLimits: Sendable {
    /// The most bytes of a file.
    public var fileByteCount = 16 << 20
    /// The most rows of a file.
    public var rowCount = 10_000
    /// The most bytes of memory that turning the password into a key may take: 1 GiB, which ente asks for.
    public var memory = 1 << 30
    /// The most bytes that all key derivations of a file may write, one after the other: 4 GiB, which is what ente's
    /// export takes; some seconds.
    public var work = 4 << 30
    /// The most rounds of PBKDF2. andOTP asks for 160,000.
    public var rounds = 1_000_000

    /// The limits as they are written here.
    public init() {}

    /// Sees to it that there are no more rows than there may be, before they are read.
    func check(rowCount count: Int) throws(ImportError) {
        guard count <= rowCount else { throw .tooManyRows(limit: rowCount) }
    }

    /// Counts costs before they are spent.
    struct Meter {
        private var left: Int
        private let memory: Int

        init(_ limits: ImportLimits) {
            left = limits.work
            memory = limits.memory
        }

        /// Whether there is room for `memory` bytes that are gone over `passes` times.
        mutating func allows(memory bytes: Int, passes: Int) -> Bool {
            guard bytes > 0, passes > 0, bytes <= memory else { return false }
            let (cost, isTooMuch) = bytes.multipliedReportingOverflow(by: passes)
            guard !isTooMuch, cost <= left else { return false }
            left -= cost
            return true
        }
    }
}
