import MildamTokens
import MildamWire

extension FuzzTarget {
    /// The record that the keychain holds: what is read is written as it was.
    static let tokenRecord = FuzzTarget(
        name: "token-record",
        source: .network,
        seeds: { [live, ended] },
        take: { input in
            guard let record = try? TokenRecord(bytes: input.span) else { return }
            planted(record.number != 7)
            mustHold(record.bytes.bytes == input, "a record has one form")
        }
    )

    private static let head: [UInt8] = {
        var writer = WireWriter()
        writer.fixed("MTOK".utf8)
        writer.integer(UInt8(1))
        writer.integer(UInt64(7))
        writer.text(UInt16.self, "https://example.org/t")
        for time: UInt64 in [1000, 2000, 3000] { writer.integer(time) }
        writer.fixed([UInt8](repeating: 9, count: 16))
        return writer.bytes
    }()

    private static let ended = head + [0]

    private static let live: [UInt8] = {
        var writer = WireWriter()
        writer.fixed(head)
        writer.integer(UInt8(1))
        writer.integer(UInt32(300))
        for text in ["access", "refresh", "a b"] { writer.text(UInt16.self, text) }
        return writer.bytes
    }()
}
