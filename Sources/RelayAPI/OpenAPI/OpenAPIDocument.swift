import FoundationEssentials

/// The relay's routes as an OpenAPI 3.1 document. Its schemas are JSON Schema 2020-12.
public enum OpenAPIDocument {
    /// The document, as JSON in UTF-8.
    public static let bytes: [UInt8] = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else { return Array("{}".utf8) }
        return [UInt8](data)
    }()

    static let document: JSONNode = [
        "openapi": "3.1.0",
        "info": [
            "title": "Mildam relay",
            "version": "1",
            "summary": "Carries rooms that it cannot read.",
            "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
        ],
        "paths": .object(paths),
        "components": [
            "schemas": .object(schemas),
            "securitySchemes": ["token": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]],
            "responses": ["error": errorResponse("APIErrorBody"), "tokenError": errorResponse("TokenError")],
        ],
    ]

    private static var paths: [String: JSONNode] {
        var paths: [String: JSONNode] = [:]
        for operation in APIOperation.all {
            paths[operation.route.template, default: [:]][operation.method] = operation.node
        }
        for kind in Route.Kind.allCases {
            let parameters = pathParameters(of: kind)
            if !parameters.isEmpty { paths[kind.template]?["parameters"] = .list(parameters) }
        }
        return paths
    }

    private static func pathParameters(of kind: Route.Kind) -> [JSONNode] {
        ["handle", "session", "room", "blob"].filter { kind.template.contains("{\($0)}") }.map { name in
            [
                "name": .text(name),
                "in": "path",
                "required": true,
                "schema": [
                    "$ref": name == "handle" ? "#/components/schemas/Handle" : "#/components/schemas/Identifier"
                ],
            ]
        }
    }

    private static func errorResponse(_ schema: String) -> JSONNode {
        [
            "description": "Refused; the code says why.",
            "headers": [
                "X-Request-Id": [
                    "description": "What the relay's log calls this request.",
                    "schema": ["type": "string"],
                ]
            ],
            "content": ["application/json": ["schema": ["$ref": .text("#/components/schemas/\(schema)")]]],
        ]
    }
}
