import MildamEnclave
import MildamProfile
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
        (["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1"], "/run/user/1/mildam/alice.agent"),
        (["HOME": "/h", "XDG_RUNTIME_DIR": "run"], "/h/.local/share/mildam/alice/agent/socket"),
        (["HOME": "/h"], "/h/.local/share/mildam/alice/agent/socket"),
        (["MILDAM_HOME": "/m", "XDG_RUNTIME_DIR": "/run/user/1"], "/m/alice/agent/socket"),
    ])
    func theAgentsSocket(_ environment: [String: String], _ socket: String) throws {
        #expect(try ProfilePlace(name: "alice", environment: environment).agentSocket == socket)
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
