import MLSInterop
import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 12.4: passive clients follow a group", .enabled(if: Vectors.areExpected))
struct PassiveClientTests {
    @Test(arguments: [
        ("passive-client-welcome", 56, 0), ("passive-client-handling-commit", 91, 182),
        ("passive-client-random", 1, 200),
    ])
    func follow(name: String, cases: Int, epochs: Int) throws {
        var run = PassiveRun()
        run.run(try #require(Vectors.folder) + "/mls/\(name).json")
        #expect(run.complaints == [])
        #expect(run.passed == cases && run.failed == 0 && run.commits == epochs)
        #expect(run.summary == "\(cases) passed, 0 failed")
    }
}
