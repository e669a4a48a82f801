import Testing

@testable import MildamCrypto

@Suite("Secrets that are put together")
struct SecretBuilderTests {
    @Test func whatIsAppendedIsThereInItsOrder() {
        var builder = SecretBuilder(capacity: 0)
        var expected: [UInt8] = []
        for count in [0, 1, 2, 3, 100, 5000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            builder.append(bytes.span)
            builder.append("é")
            builder.append(7)
            expected += bytes + Array("é".utf8) + [7]
        }
        #expect(builder.count == expected.count)
        let isWhole = SecretBytes(copying: builder.span).constantTimeEquals(SecretBytes(copying: expected))
        #expect(isWhole)
        builder.removeAll()
        builder.append(9)
        let isNew = builder.finish().constantTimeEquals(SecretBytes(copying: [9] as [UInt8]))
        #expect(isNew)
    }
}
