import Testing

@_spi(Fuzzing) @testable import MildamTransport

@Suite("Fuzz entries: damaged input is read in one way, however it is cut")
struct FuzzEntryTests {
    private static let seeds: [[UInt8]] = [
        Array(
            "?POST /a?b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nT: v\r\n\r\n".utf8
        ),
        Array("?PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8),
        Array("?HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8),
        Array("?5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n".utf8),
        [4] + WebSocketFrameEncoder.encode(.text, "h\u{E9}llo".utf8, mask: [1, 2, 3, 4])
            + WebSocketFrameEncoder.encode(.close, [3, 232, 65], mask: [9, 9, 9, 9]),
        [4] + WebSocketFrameEncoder.encode(.text, "h\u{E9}llo".utf8, mask: nil),
    ]

    @Test(arguments: seeds.indices)
    func mutations(_ index: Int) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var bytes = Self.seeds[index]
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[position] = .random(in: .min ... .max, using: &generator)
                case 1: bytes.insert(.random(in: .min ... .max, using: &generator), at: position)
                default: if bytes.count > 1 { bytes.remove(at: position) }
                }
            }
            bytes[0] = .random(in: .min ... .max, using: &generator)
            FuzzEntries.request(bytes)
            FuzzEntries.responseHead(bytes)
            FuzzEntries.chunked(bytes)
            FuzzEntries.frames(bytes, isServer: true)
            FuzzEntries.frames(bytes, isServer: false)
        }
    }
}
