import Foundation
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite("age: how large a file becomes")
struct AgeSizeTests {
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func isKnownBefore(_ count: Int) throws {
        let folder = try TemporaryFolder()
        try WholeFile.write([UInt8](repeating: 1, count: count).span, to: folder.file("plain"))
        let made = try AgeFile.encrypt(
            folder.file("plain"),
            to: folder.file("age"),
            recipients: [AgeX25519Identity().recipient]
        )
        #expect(AgeFile.size(ofContent: count) == made.size)
        #expect(AgeFile.contentSize(ofFile: made.size) == count)
    }

    /// There are sizes that no file has: one of less than a header, and one whose last chunk would be nothing but a tag.
    @Test func someSizesAreNone() {
        let empty = AgeFile.size(ofContent: 0)
        for count in [-1, 0, empty - 1, AgeFile.size(ofContent: 65_536) + 1, AgeFile.size(ofContent: 65_536) + 16] {
            #expect(AgeFile.contentSize(ofFile: count) == nil, "\(count)")
        }
    }
}
