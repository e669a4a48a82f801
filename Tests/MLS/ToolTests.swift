import Foundation
import MildamMLS
import MildamWire
import TestSupport
import Testing

@Suite("mls-passive and mls-client", .enabled(if: Vectors.areExpected))
struct ToolTests {
    private var vectors: String { (Vectors.folder ?? "") + "/mls/passive-client-" }

    @Test func filesThatComeOutEndWithStatus0() throws {
        let result = try Program.run("mls-passive", [vectors + "welcome.json", vectors + "random.json"])
        #expect(result.status == 0 && result.output == "57 passed, 0 failed\n", "\(result)")
    }

    @Test func anEmptyAMissingAndAWrongFileFail() throws {
        let folder = try TemporaryFolder()
        try Data("[]".utf8).write(to: URL(fileURLWithPath: folder.file("empty.json")))
        var text = String(decoding: try Vectors.data("mls/passive-client-random.json"), as: UTF8.self)
        let name = "\"epoch_authenticator\": \""
        let place = try #require(text.range(of: name))
        text.replaceSubrange(place.upperBound..<text.index(after: place.upperBound), with: "z")
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("wrong.json")))
        for file in ["empty.json", "missing.json", "wrong.json"] {
            let result = try Program.run("mls-passive", [folder.file(file)])
            #expect(result.status == 1 && result.output == "0 passed, 1 failed\n", "\(file): \(result)")
        }
        #expect(try Program.run("mls-passive", []).status == 2)
    }

    @Test func callsAreAnsweredLineByLine() throws {
        let calls = ["{\"rpc\":\"Name\"}", "", "nonsense", "{\"rpc\":\"SupportedCiphersuites\"}", ""]
        let result = try Program.run("mls-client", input: calls.joined(separator: "\n"))
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0 && lines.count == 3, "\(result)")
        #expect(lines.first == #"{"response":{"name":"mildam"}}"# && lines.last?.contains("[1,2,3,4,5,6,7]") == true)
        #expect(lines.dropFirst().first?.hasPrefix(#"{"error":"#) == true)
    }

    @Test func extensionsThatMeanNothingCanBeLeftOut() throws {
        let call = #"{"rpc":"CreateKeyPackage","request":{"cipher_suite":1,"identity":"YQ=="}}"#
        func extensions(_ arguments: [String]) throws -> [Int] {
            let output = try Program.run("mls-client", arguments, input: call).output
            let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            let answer = try #require(object?["response"] as? [String: Any])
            let text = try #require(answer["key_package"] as? String)
            let bytes = try #require(Data(base64Encoded: text))
            guard case .keyPackage(let package) = try MLSMessage(wireBytes: Array(bytes)) else {
                throw MLSError.notForMembers
            }
            return [package.leafNode.extensions.list.count, package.extensions.list.count]
        }
        #expect(try extensions([]) == [1, 1])
        #expect(try extensions(["--no-grease-extensions"]) == [0, 0])
    }
}
