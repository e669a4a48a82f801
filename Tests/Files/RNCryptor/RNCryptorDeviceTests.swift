import Foundation
import MildamFiles
import TestSupport
import Testing

private let filesAreExpected: Bool = {
    let areThere = (try? Vectors.data("rncryptor/ios/lorem-ipsum.txt")) != nil
    if !areThere { print("skipped: the suite over files that iOS wrote; only `make vectors` fetches them") }
    return areThere
}()

/// Files that iOS wrote with each of the first three versions, from RNCryptor-php's tests: one text of 65,399
/// bytes. The first counts past 255 after 1,600 of them.
@Suite("RNCryptor: files that iOS wrote (RNCryptor-php)", .enabled(if: filesAreExpected))
struct RNCryptorDeviceTests {
    @Test(arguments: [("0", RNCryptorLayout.counterSHA1), ("1", .version1), ("2", .version2)])
    func opens(version: String, layout: RNCryptorLayout) throws {
        let text = try Vectors.data("rncryptor/ios/lorem-ipsum-encrypted-base64-schema\(version).txt")
        let file = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
        let (content, opened) = try RNCryptorFile.decrypt(Array(file), secret: password("mypassword123$!"))
        #expect(try content == Array(Vectors.data("rncryptor/ios/lorem-ipsum.txt")))
        #expect(opened.layout == layout && opened.size == 65_399)
    }
}
