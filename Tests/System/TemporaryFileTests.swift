import Foundation
import Glibc
import TestSupport
import Testing

@testable import MildamSystem

@Suite("Temporary files")
struct TemporaryFileTests {
    @Test("What is written is read again, and the folder shows nothing", arguments: [true, false])
    func readAgain(unnamed: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try TemporaryFile(in: folder.path, unnamed: unnamed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try file.descriptor.write([1, 2, 3].span)
        #expect(try file.descriptor.read(upTo: 10, at: 1) == [2, 3])
        var status = stat()
        #expect(unsafe fstat(file.descriptor.number, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_nlink == 0)
    }

    @Test("A folder that is not there is named")
    func missing() throws {
        let folder = try TemporaryFolder().path + "/missing"
        #expect(throws: SystemError.self) { _ = try TemporaryFile(in: folder, unnamed: true) }
    }
}
