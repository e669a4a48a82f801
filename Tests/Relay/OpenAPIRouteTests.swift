import Foundation
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("OpenAPI document: what the relay serves")
struct OpenAPIRouteTests {
    @Test("every operation has every status that the server answers by itself")
    func serverStatuses() async throws {
        let relay = try TestRelay()
        let answer = try await relay.ask(.get, Route.document.path)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let paths = try #require(json["paths"] as? [String: [String: Any]])
        let own = Set(HTTPViolation.allCases.map { "\($0.status)" } + ["408", "503"])
        for item in paths.values {
            for (method, operation) in item where method != "parameters" {
                let responses = try #require((operation as? [String: Any])?["responses"] as? [String: Any])
                #expect(own.isSubset(of: responses.keys))
            }
        }
        await relay.server.stop()
    }

    @Test("it is served, and has the methods that routes take, and no others")
    func methods() async throws {
        let relay = try TestRelay()
        let answer = try await relay.ask(.get, Route.document.path)
        #expect(answer.status == 200 && answer.fields["Content-Type"] == "application/json")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let paths = try #require(json["paths"] as? [String: [String: Any]])
        let sample = [
            "{handle}": "alice", "{session}": "irceirceirceirceirceirceiq",
            "{room}": "irceirceirceirceirceirceiq", "{blob}": "mztgmztgmztgmztgmztgmztgmy",
        ]
        for (template, item) in paths {
            let path = sample.reduce(template) { $0.replacing($1.key, with: $1.value) }
            let route = try Route(path: path)
            #expect(route.kind.template == template)
            #expect(
                Set(item.keys).subtracting(["parameters"]) == Set(route.methods.map { $0.rawValue.lowercased() }),
                "\(template)"
            )
        }
        await relay.server.stop()
    }
}
