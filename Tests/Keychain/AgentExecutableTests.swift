import Foundation
import Glibc
import TestSupport
import Testing

@testable import MildamKeychain
@testable import MildamSystem

@Suite("The program that an agent is")
struct AgentExecutableTests {
    @Test func aProgramIsTheSameByItsFileAndAfterAnUpgradeByItsPath() throws {
        let folder = try TemporaryFolder()
        let (path, other) = (folder.file("program"), folder.file("other"))
        for name in [path, other] { try Data("program".utf8).write(to: URL(fileURLWithPath: name)) }
        func running(_ path: String) throws -> Executable {
            Executable(file: try #require(FileIdentity(path)), path: Array(path.utf8), standing: .named)
        }
        let agent = AgentExecutable(path)
        #expect(try !agent.isReplaced && agent.isSame(as: running(path)) && !agent.isSame(as: running(other)))
        // Upgraded.
        try #require(unsafe rename(path, folder.file("moved")) == 0 && rename(other, path) == 0)
        #expect(try agent.isReplaced && agent.isSame(as: running(path)))
        // Moved, and its place is empty.
        try #require(unsafe unlink(path) == 0)
        #expect(try agent.isReplaced && agent.isSame(as: running(folder.file("moved"))))
        let nobody = AgentExecutable("")
        #expect(try nobody.isReplaced && !nobody.isSame(as: running(folder.file("moved"))))
    }
}
