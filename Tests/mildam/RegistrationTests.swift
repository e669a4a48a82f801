import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// An account that is not made leaves nothing behind, and nothing of what was there is touched.
@Suite("An account that is not made")
struct RegistrationTests {
    private func create(_ handle: String, of person: Person, _ more: String...) async throws -> Program.Result {
        try await Program.result(
            of: "mildam",
            ["account", "create", handle, "--password-file", "-"] + more,
            input: person.password + "\n",
            environment: person.variables
        )
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func withoutAnInvitation() async throws {
        let house = try await House.open(["--registration", "invite"], isEmpty: true)
        let ana = Person(name: "ana", home: house.folder.file("data/of/ana"), relay: house.relay.url)
        expect(try await create("ana", of: ana), 6, "by invitation")
        #expect(!isThere(house.folder.file("data")), "not even the folders above")
        let wrong = house.folder.file("wrong")
        try "nothing of the kind\n".write(toFile: wrong, atomically: true, encoding: .utf8)
        expect(try await create("ana", of: ana, "--invitation-file", wrong), 6, "was used, or has run out")
        #expect(!isThere(house.folder.file("data")))

        let made = try await Program.result(of: "mildam-relay", ["invite", "--data", house.data])
        let right = house.folder.file("right")
        try made.output.write(toFile: right, atomically: true, encoding: .utf8)
        expect(try await create("ana", of: ana, "--invitation-file", right), 0)
        expect(try await ana.run("account", "show"), 0, "ana")
    }

    /// Others' profiles stay, and what a person has put into the folder.
    @Test func aTakenHandle() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let zoe = house.person("zoe")
        expect(try await create("alice", of: zoe), 6, "the handle alice is taken")
        #expect(!isThere(zoe.folder) && isThere(alice.folder))

        try #require(unsafe mkdir(zoe.folder, 0o700) == 0)
        try "mine".write(toFile: zoe.folder + "/note", atomically: true, encoding: .utf8)
        expect(try await create("alice", of: zoe), 6, "the handle alice is taken")
        let left = try FileManager.default.contentsOfDirectory(atPath: zoe.folder)
        #expect(Set(left).subtracting(["lock"]) == ["note"], "\(left)")
        try await zoe.create()
        expect(try await zoe.run("account", "show"), 0, "zoe")
    }

    /// What lies under the profile's key keeps it.
    @Test func besideAVault() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let zoe = house.person("zoe")
        try await zoe.done("vault", "init")
        let file = house.folder.file("letter")
        try "kept".write(toFile: file, atomically: true, encoding: .utf8)
        try await zoe.done("vault", "add", file)
        expect(try await create("alice", of: zoe), 6, "the handle alice is taken")
        expect(try await zoe.run("vault", "list"), 0, "letter")
        expect(try await zoe.run("vault", "verify"), 0)
        withExtendedLifetime(alice) {}
    }

    /// An account that was made before stays when another cannot be.
    @Test func besideAnAccount() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        expect(try await create("bob", of: alice), 6, "is alice already")
        expect(try await alice.run("account", "show"), 0, "alice")
    }
}
