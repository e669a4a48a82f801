import Foundation
import Glibc
import MildamEnclave
import MildamProfile
import MildamSystem
import TestSupport
import Testing

@Suite("Where a profile lies")
struct ProfilePlaceTests {
    @Test(arguments: [
        (["MILDAM_HOME": "/m", "XDG_DATA_HOME": "/d", "HOME": "/h"], "/m/alice"),
        (["MILDAM_HOME": "", "XDG_DATA_HOME": "/d", "HOME": "/h"], "/d/mildam/alice"),
        (["XDG_DATA_HOME": "d", "HOME": "/h"], "/h/.local/share/mildam/alice"),
        (["HOME": "/h", "MILDAM_PROFILE": "bob"], "/h/.local/share/mildam/alice"),
    ])
    func theFolder(_ environment: [String: String], _ folder: String) throws {
        let place = try ProfilePlace(name: "alice", environment: environment)
        #expect(place.folder == folder)
        #expect(place.keychain.path == folder + "/keychain.db")
        #expect(place.vault == folder + "/vault" && place.messages == folder + "/messenger.db")
    }

    @Test(arguments: [
        (
            // The first 64 bits of `printf /h/.local/share/mildam/alice | sha256sum`.
            ["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1"], "/run/user/1/mildam/alice-90ebd3b28cefa035.agent"
        ),
        (
            ["XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/run/user/1"], "/run/user/1/mildam/alice-e51ac5eb4ed8e60a.agent"
        ),
        (["HOME": "/h", "XDG_RUNTIME_DIR": "run"], "/h/.local/share/mildam/alice/agent/socket"),
        (["HOME": "/h"], "/h/.local/share/mildam/alice/agent/socket"),
        (["MILDAM_HOME": "/m", "XDG_RUNTIME_DIR": "/run/user/1"], "/m/alice/agent/socket"),
    ])
    func theAgentsSocket(_ environment: [String: String], _ socket: String) throws {
        #expect(try ProfilePlace(name: "alice", environment: environment).agentSocket == socket)
    }

    /// By a link, with a slash too many, before the folder is there and after: it is the same agent.
    @Test func theAgentIsTheFoldersHoweverThatIsReached() throws {
        let folder = try TemporaryFolder()
        try #require(unsafe mkdir(folder.file("data"), 0o700) == 0 && symlink("data", folder.file("link")) == 0)
        func socket(_ data: String) throws -> String {
            let environment = ["XDG_DATA_HOME": folder.file(data), "XDG_RUNTIME_DIR": "/run/user/1"]
            return try ProfilePlace(name: "alice", environment: environment).agentSocket
        }
        let first = try socket("data")
        #expect(try socket("link") == first && socket("data/") == first && socket("link/../data") == first)
        #expect(try socket("other") != first)
        try FileManager.default.createDirectory(
            atPath: folder.file("data/mildam/alice"),
            withIntermediateDirectories: true
        )
        #expect(try socket("data") == first && socket("link") == first)
    }

    @Test func theLongestNameLeavesASocketThatFits() throws {
        let name = String(repeating: "a", count: 64)
        let environment = ["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/4294967294"]
        let place = try ProfilePlace(name: name, environment: environment)
        #expect(place.agentSocket.utf8.count <= 107 && place.clientSocket.utf8.count <= 107)
        #expect(Folder.parent(of: place.clientSocket) == Folder.parent(of: place.agentSocket))
    }

    @Test func aNameThatNobodyGave() throws {
        #expect(try ProfilePlace(environment: ["MILDAM_HOME": "/m", "MILDAM_PROFILE": "bob"]).folder == "/m/bob")
        #expect(try ProfilePlace(environment: ["MILDAM_HOME": "/m", "MILDAM_PROFILE": ""]).folder == "/m/default")
    }

    @Test(arguments: ["", ".", "..", "a/b", "a b", "밀담", "a\0", String(repeating: "a", count: 65)])
    func aNameThatIsNone(_ name: String) {
        #expect(throws: ProfileError.invalidName(name)) {
            try ProfilePlace(name: name, environment: ["MILDAM_HOME": "/m"])
        }
    }

    @Test func theLongestName() throws {
        let name = String(repeating: "a", count: 61) + "-_Z"
        #expect(try ProfilePlace(name: name, environment: ["MILDAM_HOME": "/m"]).folder == "/m/" + name)
    }

    @Test func nothingSaysWhere() {
        #expect(throws: ProfileError.noHome) { try ProfilePlace(environment: ["HOME": "", "XDG_DATA_HOME": "data"]) }
    }

    @Test func theTPMIsTheOneOfTheEnvironment() throws {
        let wrong = try ProfilePlace(environment: ["HOME": "/h", "MILDAM_TPM": "nonsense"])
        #expect(throws: EnclaveError.invalidAddress("nonsense")) { try wrong.keychain.options() }
        let none = try ProfilePlace(environment: ["HOME": "/h", "MILDAM_TPM": ""])
        #expect(try none.keychain.options().isOwner)
    }
}
