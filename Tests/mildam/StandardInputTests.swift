import Foundation
import HouseSupport
import TestSupport
import Testing

/// A text from standard input: byte for byte what came, or nothing.
@Suite("Texts from standard input")
struct StandardInputTests {
    private func send(_ command: String, as person: Person) async throws -> Program.Result {
        try await Program.result(
            of: "/bin/bash",
            ["-c", "\(command) | timeout 20 \"$0\" -p \(person.name) send kitchen", Program.find("mildam")],
            environment: ["MILDAM_HOME": person.home]
        )
    }

    @Test func strictAndBounded() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        // Bytes that are no UTF-8: alone, cut off, for a surrogate, overlong.
        for bytes in [#"\377"#, #"text \343\201"#, #"\355\240\200"#, #"\300\200"#] {
            expect(try await send("printf '\(bytes)'", as: alice), 2, "a text in UTF-8")
        }
        expect(try await send("printf ''", as: alice), 2, "a text in UTF-8")
        expect(try await send("printf '\\n'", as: alice), 2)
        // What does not end, with and without lines, is not read to its end.
        expect(try await send("yes", as: alice), 2, "at most 65,536 bytes")
        expect(try await send("tr '\\0' x </dev/zero", as: alice), 2, "at most 65,536 bytes")
        expect(try await send("head -c 65537 /dev/zero | tr '\\0' x", as: alice), 2, "at most 65,536 bytes")
        #expect(try await alice.texts("kitchen").isEmpty)

        expect(try await send("head -c 65536 /dev/zero | tr '\\0' x", as: alice), 0)
        expect(try await send("(printf '\\343\\201'; sleep 0.3; printf '\\202\\r\\n\\n')", as: alice), 0)
        let texts = try await alice.texts("kitchen")
        #expect(texts.map(\.utf8.count) == [65_536, 5] && texts.last == "あ\r\n", "\(texts.map(\.utf8.count))")
    }
}
