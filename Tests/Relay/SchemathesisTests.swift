import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay

/// Requests that another program makes up from our document, valid and invalid ones, and what it finds wrong with the
/// answers: a status, a header or a body that the document does not name, a fault of the relay's, a token not asked for.
@Suite(
    "Schemathesis against our own document",
    .enabled(
        if: Schemathesis.program != nil,
        "schemathesis is not installed; Scripts/schemathesis puts it into .build/schemathesis"
    )
)
struct SchemathesisTests {
    /// Not among them: that whatever fits the document is accepted. No document can say that a signature is right.
    private static let checks = [
        "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
        "response_schema_conformance", "negative_data_rejection", "missing_required_header", "unsupported_method",
        "allow_header_conformance", "ignored_auth",
    ]

    /// Bodies of MLS are bytes to it.
    private static let hooks = """
        import schemathesis

        schemathesis.serializer.alias("application/vnd.mildam+tls", "application/octet-stream")

        """

    private static let examples = Count.of(few: 4, full: 200)

    @Test("no fault, and no answer that the document does not name", arguments: [false, true])
    func conforms(toKnownRooms: Bool) async throws {
        let now = WallClock.system.milliseconds
        let relay = try TestRelay {
            $0.limitsRates = false
            // The token lives as long as the test.
            $0.clock = WallClock { now }
        }
        let alice = try await Person("alice", on: relay)
        let folder = try TemporaryFolder()
        try Data(Self.hooks.utf8).write(to: URL(fileURLWithPath: folder.file("hooks.py")))
        var settings = "hooks = \"\(folder.file("hooks.py"))\"\n[output.sanitization]\nenabled = false\n"
        // A list that is too long is 413 here, which is not among what it expects by itself.
        settings += "[checks]\nnegative_data_rejection.expected-statuses = "
        settings += "[400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]\n"
        if toKnownRooms {
            let (room, blob) = (try await alice.makeRoom(), BlobID.random())
            #expect(try await alice.say("one", in: room).status == 201)
            #expect(
                try await alice.ask(.put, Routes.blob.at(BlobPlace(room.id, blob)).path + "?size=9&offset=0", body: [1])
                    .status == 200
            )
            settings += "[parameters]\n\"path.room\" = \"\(room.id)\"\n\"path.blob\" = \"\(blob)\"\n"
            settings += "\"path.handle\" = \"alice\"\n"
        }
        try Data(settings.utf8).write(to: URL(fileURLWithPath: folder.file("settings.toml")))
        let result = try await Program.result(
            of: try #require(Schemathesis.program),
            [
                "--config-file", folder.file("settings.toml"), "run", relay.server.url + Routes.document.path,
                "--header", "Authorization: Bearer \(alice.token)", "--checks", Self.checks.joined(separator: ","),
                "--max-examples", "\(Self.examples)", "--seed", "\(Seed.value % 1_000_000)", "--no-color",
                "--suppress-health-check", "all",
                // Logging out would end the run; the upgrade of a socket is no answer that it understands.
                "--exclude-operation-id", "delete_currentSession", "--exclude-operation-id", "get_socket",
            ],
            folder: folder.path
        )
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(result.output.contains("No issues found") || result.output.contains("passed"), "\(result.output)")
        await relay.server.stop()
    }
}

/// The other program.
private enum Schemathesis {
    /// Where it is, if it was put there.
    static let program: String? = {
        let path = FileManager.default.currentDirectoryPath + "/.build/schemathesis/bin/schemathesis"
        return WholeFile.exists(path) ? path : nil
    }()
}
