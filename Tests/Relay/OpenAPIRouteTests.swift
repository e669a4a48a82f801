import Foundation
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("OpenAPI document: what the relay serves")
struct OpenAPIRouteTests {
    @Test("it is served, and has the methods that routes take, and no others")
    func methods() async throws {
        let relay = try TestRelay()
        let answer = try await relay.ask(.get, Route.document.path)
        #expect(answer.status == 200 && answer.fields["Content-Type"] == "application/json")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let paths = try #require(json["paths"] as? [String: [String: Any]])
        let sample = [
            "{handle}": "alice", "{room}": "irceirceirceirceirceirceiq", "{blob}": "mztgmztgmztgmztgmztgmztgmy",
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
