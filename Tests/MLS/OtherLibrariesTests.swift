import Foundation
import TestSupport
import Testing

/// Groups of Mildam and of libraries by other hands, each in a program of its own: `Tests/Peers/mls-libraries/rooms.py` draws
/// who makes them, comes, goes, commits and speaks.
@Suite(
    "RFC 9420 with OpenMLS and mls-rs",
    .enabled(
        if: OtherLibraries.python != nil,
        "other libraries of MLS are not installed; Scripts/mls-libraries puts them into .build/mls-libraries"
    )
)
struct OtherLibrariesTests {
    private static let rooms = Count.of(few: 6, full: 200)

    @Test("Groups drawn at random come out")
    func groupsComeOut() throws {
        let folder = Vectors.packageFolder + "/Tests/Peers/mls-libraries"
        let client = try Program.find("mls-client")
        var arguments = ["-B", "\(folder)/rooms.py", "--client", client]
        for peer in ["openmls.py", "mls_rs.py", "rine.py"] { arguments += ["--peer", "\(folder)/\(peer)"] }
        arguments += ["--rooms", "\(OtherLibrariesTests.rooms)", "--seed", "\(Seed.value)"]
        let result = try Program.run(try #require(OtherLibraries.python), arguments)
        print(result.output)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
    }
}

/// The other libraries.
private enum OtherLibraries {
    /// A Python that has them, if they were put there.
    static let python: String? = {
        let folder = Vectors.packageFolder + "/.build/mls-libraries"
        return FileManager.default.fileExists(atPath: folder + "/installed") ? folder + "/bin/python3" : nil
    }()
}
