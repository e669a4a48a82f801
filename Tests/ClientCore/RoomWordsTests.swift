import Foundation
import MildamClientCore
import MildamRoomRules
import Testing

@Suite("What a person is told of the codes of the client's core")
struct RoomWordsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    private func words() throws -> String { try text("Sources/mildam/Room/RoomCodeWords.swift") }

    /// What stands in quotation marks behind these in the core's sources.
    private func codes(behind marks: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for file in try sources(in: "Sources/ClientCore") {
            for mark in marks {
                for part in file.components(separatedBy: mark).dropFirst() {
                    found.insert(String(part.prefix { $0 != "\"" }))
                }
            }
        }
        return found.filter { !$0.contains("\\(") }
    }

    private func sources(in folder: String) throws -> [String] {
        let base = Self.root.appendingPathComponent(folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return try names.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8)
        }
    }

    /// Who may commit what (H5): each of these says what a person needs.
    private static let ofRights: [RoomRule] = [
        .committerHasLeaf, .othersProposalsAreSelfRemoves, .proposalIsOfAllowedKind, .otherExtensionsStay,
        .externalCommitterIsMember, .externalCommitReplacesOwnLeaf, .externalCommitShowsList, .addToAccountShowsList,
        .inviterMayInvite, .removerMayRemove, .leafRemovalIsJustified, .rolesAreChangedByOwners, .rolesAreOfMembers,
        .policyIsChangedByOwners, .descriptionIsChangedByRight, .generationIsBegunByRight,
        .newcomerHasRecordedIdentity, .externalCommitFollowsLeaf, .beginnerHasRecordedKey,
    ]

    @Test("Each refusal of who may commit what has words", arguments: ofRights)
    func rights(_ rule: RoomRule) throws {
        #expect(try words().contains("\"\(rule.rawValue)\":"))
    }

    @Test("Each code by which the core says that a wish cannot be, or waits, has words")
    func wishes() throws {
        let codes = try codes(behind: [
            ".failed(code: \"", "fail(at: index, code: \"", ".waiting(code: \"", ", code: \"",
        ])
        #expect(codes.count > 10)
        let words = try words()
        for code in codes { #expect(words.contains("\"\(code)\":"), "\(code)") }
    }

    @Test(
        "Each code of a relay's refusal that is not a rule's has words",
        arguments: ["forbidden", "busy", "commit-rate"]
    )
    func relay(_ code: String) throws {
        #expect(try words().contains("\"\(code)\":"))
        let refusals: [RelayRefusal] = [.forbidden, .busy, .full, .commitRate]
        #expect(refusals.map(\.code).contains(code))
    }

    @Test("Each code by which a window is told something once has words")
    func notices() throws {
        let source = try text("Sources/Messenger/ClientProcess/Notice+Change.swift")
        let parts = source.components(separatedBy: ".notice(room: room, code: \"").dropFirst()
        let codes = Set(parts.map { String($0.prefix { $0 != "\"" }) }).filter { !$0.contains("\\(") }
        #expect(codes.count > 5)
        let words = try text("Sources/mildam/Message/NoticeWords.swift")
        for code in codes { #expect(words.contains("case \"\(code)\":"), "\(code)") }
    }

    @Test("Each code of an error of the client has words")
    func faults() throws {
        let words = try text("Sources/mildam/Client/ClientFault.swift")
        var codes: Set<String> = []
        for file in try sources(in: "Sources/Messenger/GroupRooms") + sources(in: "Sources/Messenger/ClientProcess") {
            for part in file.components(separatedBy: "RoomFault(\"").dropFirst() {
                codes.insert(String(part.prefix { $0 != "\"" }))
            }
            for part in file.components(separatedBy: "RoomFault(\n                    \"").dropFirst() {
                codes.insert(String(part.prefix { $0 != "\"" }))
            }
        }
        for part in try text("Sources/ClientAPI/ClientError.swift").components(separatedBy: "= Code(\"").dropFirst() {
            codes.insert(String(part.prefix { $0 != "\"" }))
        }
        #expect(codes.count > 20)
        for code in codes { #expect(words.contains("\"\(code)\":"), "\(code)") }
    }
}
