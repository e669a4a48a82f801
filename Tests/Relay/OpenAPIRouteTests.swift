import Foundation
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

/// The document is held against the routes that the relay has: each says the same as its route, and there are no others.
@Suite("OpenAPI document: what the relay serves")
struct OpenAPIRouteTests {
    /// What every route may refuse with.
    private static let everywhere: [APIErrorCode] = [
        .badRequest, .tooLarge, .rateLimited, .unavailable, .internalError, .methodNotAllowed,
    ]

    /// What the server answers by itself, before a route is looked at.
    private static let own = Set(HTTPViolation.allCases.map(\.status) + [408, 503])

    private static func paths() throws -> [String: [String: Any]] {
        let json = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)) as? [String: Any]
        return try #require(json?["paths"] as? [String: [String: Any]])
    }

    private static func codes(of route: RouteOutline) -> [APIErrorCode] {
        everywhere + (route.isOpen ? [] : [.unauthorized]) + route.refusals
    }

    @Test("it is served as it is")
    func served() async throws {
        let relay = try TestRelay()
        let answer = try await relay.ask(.get, Routes.document.path)
        #expect(answer.status == 200 && answer.fields["Content-Type"] == "application/json")
        #expect(answer.body == OpenAPIDocument.bytes)
        await relay.server.stop()
    }

    @Test("every path and method is there, and no others; a path's names are ids, or handles")
    func places() throws {
        let paths = try Self.paths()
        #expect(Set(paths.keys) == Set(RouteTable.places.map(\.path.text)))
        for place in RouteTable.places {
            let item = try #require(paths[place.path.text], "\(place.path.text)")
            #expect(
                Set(item.keys).subtracting(["parameters"]) == Set(place.methods.map { $0.rawValue.lowercased() }),
                "\(place.path.text)"
            )
            let names = place.path.text.matches(of: /\{([a-z]+)\}/).map { String($0.1) }
            let parameters = item["parameters"] as? [[String: Any]] ?? []
            #expect(parameters.map { $0["name"] as? String } == names, "\(place.path.text)")
            for (name, parameter) in zip(names, parameters) {
                #expect(parameter["in"] as? String == "path" && parameter["required"] as? Bool == true)
                let schema = parameter["schema"] as? [String: String]
                #expect(schema == ["$ref": "#/components/schemas/\(name == "handle" ? "Handle" : "Identifier")"])
            }
        }
    }

    @Test("an operation says whom it is for, what it takes and what it answers", arguments: RouteTable.handlers.indices)
    func operation(_ index: Int) throws {
        let route = RouteTable.handlers[index].route
        let method = route.method.rawValue.lowercased()
        let operation = try #require(try Self.paths()[route.path.text]?[method] as? [String: Any])
        #expect((operation["summary"] as? String)?.isEmpty == false)
        #expect((operation["security"] as? [[String: [String]]]) == (route.isOpen ? nil : [["token": []]]))

        let parameters = operation["parameters"] as? [[String: Any]] ?? []
        #expect(parameters.map { $0["name"] as? String } == route.parameters.map(\.name))
        for (parameter, said) in zip(route.parameters, parameters) {
            #expect(said["in"] as? String == "query" && said["required"] as? Bool == (parameter.range != nil))
            #expect((said["schema"] as? NSDictionary) == Self.schema(of: parameter))
        }

        let body = operation["requestBody"] as? [String: Any]
        #expect(body?["required"] as? Bool == (route.body == .none ? nil : true))
        #expect(body?["content"] as? NSDictionary == Self.content(route.body))

        let responses = try #require(operation["responses"] as? [String: [String: Any]])
        let refusals = Self.own.union(Self.codes(of: route).map(\.status))
        #expect(Set(responses.keys) == Set(refusals.map { "\($0)" }).union(["\(route.status)"]))
        for status in refusals {
            // The token endpoint answers in OAuth's form where RFC 6749 has a status.
            let isOAuth = route.path == Routes.token.outline.path && [400, 401].contains(status)
            let reference = "#/components/responses/\(isOAuth ? "tokenError" : "error")"
            #expect(responses["\(status)"] as? [String: String] == ["$ref": reference], "\(status)")
        }
        let success = responses["\(route.status)"]
        #expect((success?["description"] as? String)?.isEmpty == false)
        #expect(success?["content"] as? NSDictionary == Self.content(route.answer))
    }

    private static func schema(of parameter: QueryParameter) -> NSDictionary {
        guard let range = parameter.range else { return ["$ref": "#/components/schemas/Identifier"] }
        // JSON Schema has no bound that UInt64.max could be written as.
        guard range.upperBound <= UInt64(Int.max) else { return ["type": "integer", "minimum": range.lowerBound] }
        return ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound]
    }

    private static func content(_ content: RouteContent) -> NSDictionary? {
        guard let type = content.type else { return nil }
        let schema: [String: String] =
            switch content {
            case .none: [:]
            case .json(let name), .form(let name): ["$ref": "#/components/schemas/\(name)"]
            case .document: ["type": "object"]
            case .bytes, .structure: ["type": "string", "format": "binary"]
            }
        return [type: ["schema": schema]]
    }

    @Test("every operation has a name of its own")
    func names() throws {
        let operations = try Self.paths().values.flatMap { item in item.values.compactMap { $0 as? [String: Any] } }
        let names = operations.compactMap { $0["operationId"] as? String }
        #expect(names.count == RouteTable.handlers.count)
        #expect(Set(names).count == names.count)
    }

    @Test("every code of an error is refused with by some route")
    func codes() {
        let said = Set(RouteTable.handlers.flatMap { Self.codes(of: $0.route) })
        // A path that is no route has no operation.
        #expect(Set(APIErrorCode.allCases).subtracting(said) == [.unknownRoute])
    }
}
