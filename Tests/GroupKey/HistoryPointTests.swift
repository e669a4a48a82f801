import MildamIdentity
import MildamWire
import Testing

@testable import MildamGroupKey

@Suite("protocol.md, Group-key rooms: the running hash")
struct HistoryPointTests {
    private let context = MessageContext(
        room: Sample.identifier(0x44),
        generation: 1,
        senderAccount: Sample.identifier(0x22),
        senderDevice: Sample.identifier(0x33)
    )

    /// python3: `h1 = sha256(b"\x15mildam/1 running hash" + pack(">Q", 0) + bytes(32) + context + pack(">I", 4) + b"body")`
    /// with `context = room + pack(">IQ", 1, 0) + account + device`; h2 the same over number 1, h1 and an empty body.
    @Test func pinned() throws {
        let first = HistoryPoint.start.after(StoredMessage(context: context, body: Array("body".utf8)))
        #expect(first.number == 1)
        #expect(Hex.encode(first.hash) == "4de809797f30aed73bf12618e0bc0767645d027f9780a2586f4ba92182e7ee9b")
        let second = first.after(StoredMessage(context: context, body: []))
        #expect(second.number == 2)
        #expect(Hex.encode(second.hash) == "eface17e4f8d5c10ff4d5a8868fde9347efef962f0170151eea51ae194b4f983")
    }

    @Test func everythingBeforeCounts() {
        let one = StoredMessage(context: context, body: [1])
        let two = StoredMessage(context: context, body: [2])
        let elsewhere = StoredMessage(context: Sample.context, body: [1])
        let start = HistoryPoint.start
        #expect(start.after(one).after(two) != start.after(two).after(one))
        #expect(start.after(one) != start.after(elsewhere))
        #expect(start.after(one) != HistoryPoint(number: 1, hash: start.hash).after(one))
    }

    @Test func codec() throws {
        let bytes = Sample.history.wireBytes
        #expect(bytes == [0, 0, 0, 0, 0, 0, 0, 9] + Sample.bytes(0x88))
        #expect(try HistoryPoint(wireBytes: bytes) == Sample.history)
        for count in bytes.indices {
            #expect(throws: WireError.truncated) { try HistoryPoint(wireBytes: Array(bytes.prefix(count))) }
        }
        for bit in 0..<bytes.count * 8 {
            #expect(try HistoryPoint(wireBytes: bytes.flipped(bit)).wireBytes == bytes.flipped(bit))
        }
    }
}
