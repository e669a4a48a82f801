import Foundation
import MildamSystem
import TestSupport
import Testing

/// Somebody with a vault, and files to put into it.
package struct VaultScene {
    package let folder: TemporaryFolder

    /// An empty folder for all of it.
    package init() throws {
        folder = try TemporaryFolder()
    }

    package func someone(at home: String? = nil, _ environment: [String: String] = [:]) -> Person {
        Person(name: "someone", home: home ?? folder.file("home"), relay: "", environment: environment)
    }

    /// Makes files of many sizes, each with a content of its own.
    package func makeFiles(_ count: Int) throws -> String {
        let path = folder.file("many")
        try Folder.create(path)
        for number in 0..<count {
            let size = number.isMultiple(of: 50) ? 200_000 : number * 7 % 5000
            let content = "\(number)\n" + String(repeating: "x", count: size)
            try Data(content.utf8).write(to: URL(fileURLWithPath: path + "/\(number)"))
        }
        return path
    }

    package func entries(of someone: Person) async throws -> Set<String> {
        let result = try await someone.run("vault", "list", "--json")
        try #require(result.status == 0, "\(result)")
        let answer = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let entries = try #require(answer?["entries"] as? [[String: Any]], "\(result)")
        return Set(entries.compactMap { $0["name"] as? String })
    }

    /// What a program that was killed had reported: whole lines only.
    package func reported(in output: String) -> Set<String> {
        Set(
            output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .filter { $0.hasPrefix("added many/") }.map { String($0.dropFirst("added ".count)) }
        )
    }

    /// That the vault is sound, and that what is in it is what was added.
    package func expectSound(_ someone: Person, _ names: Set<String>, _ comment: String) async throws {
        let verified = try await someone.run("vault", "verify")
        #expect(verified.status == 0, "\(comment): \(verified)")
        let target = folder.file("out-\(UUID().uuidString)")
        expect(try await someone.run("vault", "export", target), 0)
        for name in names {
            let original = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
            #expect(try Data(contentsOf: URL(fileURLWithPath: target + "/" + name)) == original, "\(comment): \(name)")
        }
        if WholeFile.exists(target) { try FileManager.default.removeItem(atPath: target) }
    }
}
