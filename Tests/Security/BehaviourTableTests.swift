import Foundation
import TestSupport
import Testing

/// Documentation/keychain.md says what each call does, and which test shows it.
@Suite("The table of behaviours")
struct BehaviourTableTests {
    /// The cells of every row; the last one names a test.
    private func rows() throws -> [[String]] {
        let path = Vectors.packageFolder + "/Documentation/keychain.md"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return lines.filter { $0.hasPrefix("|") && !$0.hasPrefix("|-") && !$0.hasSuffix("| test |") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// Every test of this target but these two, by name.
    private func tests() throws -> Set<String> {
        var names: Set<String> = []
        let folder = Vectors.packageFolder + "/Tests/Security"
        for file in try FileManager.default.contentsOfDirectory(atPath: folder)
        where file.hasSuffix(".swift") && file != "BehaviourTableTests.swift" {
            let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
            // A name counts only where `@Test` stands before it.
            for part in text.components(separatedBy: "@Test").dropFirst() {
                guard let name = part.components(separatedBy: "func ").dropFirst().first?.prefix(while: { $0 != "(" })
                else { continue }
                names.insert(String(name))
            }
        }
        return names
    }

    @Test func everyRowNamesATestThatIsThere() throws {
        let (rows, tests) = (try rows(), try tests())
        #expect(rows.count >= 40, "an empty table says nothing")
        for row in rows {
            let name = row.last.map { $0.trimmingCharacters(in: ["`"]) } ?? ""
            #expect(tests.contains(name), "\(row.first ?? ""): there is no test \"\(name)\"")
        }
    }

    @Test func everyTestHasARow() throws {
        let named = Set(try rows().compactMap { $0.last?.trimmingCharacters(in: ["`"]) })
        #expect(try tests().subtracting(["eachKeychainSnippetIsRunHere"]).subtracting(named) == [])
    }
}
