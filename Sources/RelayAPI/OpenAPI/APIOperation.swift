/// What one method of one route takes and answers.
struct APIOperation {
    /// What is sent with it.
    enum Body {
        case none
        /// A value as JSON, by the name of its schema.
        case json(String)
        /// A form, by the name of its schema.
        case form(String)
        /// The bytes of a blob.
        case bytes
    }

    /// What it answers when it is done.
    enum Success {
        case json(Int, String)
        case bytes
        case nothing
        /// Nothing either, with the status that RFC 7009 wants.
        case empty
        /// The document itself.
        case document
        /// The protocol changes to WebSocket.
        case upgrade
    }

    /// What stands in the query.
    struct Parameter {
        let name: String
        let about: String
        let isRequired: Bool
        let schema: JSONNode

        /// A whole number that has to be there.
        static func number(_ name: String, _ range: ClosedRange<UInt64>, _ about: String) -> Parameter {
            Parameter(name: name, about: about, isRequired: true, schema: .object(APIOperation.integer(range)))
        }

        /// An identifier that may be left out.
        static func identifier(_ name: String, _ about: String) -> Parameter {
            let schema: JSONNode = ["$ref": "#/components/schemas/Identifier"]
            return Parameter(name: name, about: about, isRequired: false, schema: schema)
        }

        var node: JSONNode {
            [
                "name": .text(name), "in": "query", "required": .truth(isRequired), "description": .text(about),
                "schema": schema,
            ]
        }
    }

    /// What the server answers by itself, before a route is looked at, beside statuses that the codes have as well.
    static let serverStatuses = [408, 414, 417, 426, 431, 501, 505]

    let method: String
    let route: Route.Kind
    let summary: String
    var isOpen = false
    var query: [Parameter] = []
    var body = Body.none
    let success: Success
    /// What it may refuse with, beside what every route does.
    var refusals: [APIErrorCode] = []

    /// The operation as the document says it.
    var node: JSONNode {
        var responses: [String: JSONNode] = [:]
        for status in Set(codes.map(\.status) + Self.serverStatuses) {
            responses["\(status)"] = ["$ref": "#/components/responses/error"]
        }
        if route == .token {
            for status in [400, 401] { responses["\(status)"] = ["$ref": "#/components/responses/tokenError"] }
        }
        responses[successStatus] = successNode
        var node: JSONNode = [
            "operationId": .text("\(method)_\(route)"),
            "summary": .text(summary),
            "responses": .object(responses),
        ]
        if !isOpen { node["security"] = [["token": []]] }
        if !query.isEmpty {
            node["parameters"] = .list(query.map(\.node))
        }
        switch body {
        case .none: break
        case .json(let name):
            node["requestBody"] = Self.body("application/json", name)
        case .form(let name):
            node["requestBody"] = Self.body("application/x-www-form-urlencoded", name)
        case .bytes:
            node["requestBody"] = [
                "required": true,
                "content": ["application/octet-stream": ["schema": ["type": "string", "format": "binary"]]],
            ]
        }
        return node
    }

    private static func body(_ type: String, _ schema: String) -> JSONNode {
        [
            "required": true,
            "content": .object([type: ["schema": ["$ref": .text("#/components/schemas/\(schema)")]]]),
        ]
    }

    /// Every code that it may refuse with.
    var codes: [APIErrorCode] {
        let everywhere: [APIErrorCode] = [
            .badRequest, .tooLarge, .rateLimited, .unavailable, .internalError, .methodNotAllowed,
        ]
        return everywhere + (isOpen ? [] : [.unauthorized]) + refusals
    }

    private var successStatus: String {
        switch success {
        case .json(let status, _): "\(status)"
        case .bytes, .document, .empty: "200"
        case .nothing: "204"
        case .upgrade: "101"
        }
    }

    private var successNode: JSONNode {
        switch success {
        case .json(_, let name):
            [
                "description": "Done.",
                "content": ["application/json": ["schema": ["$ref": .text("#/components/schemas/\(name)")]]],
            ]
        case .bytes:
            [
                "description": "The bytes, fewer than asked for where the blob ends.",
                "content": ["application/octet-stream": ["schema": ["type": "string", "format": "binary"]]],
            ]
        case .document:
            ["description": "This document.", "content": ["application/json": ["schema": ["type": "object"]]]]
        case .nothing, .empty: ["description": "Done."]
        case .upgrade: ["description": "WebSocket; LiveRequest and LiveEvent travel as text messages."]
        }
    }

    /// A whole number as a schema; JSON Schema has no bound that `UInt64.max` could be written as, so that one is left out.
    static func integer(_ range: ClosedRange<UInt64>) -> [String: JSONNode] {
        var schema: [String: JSONNode] = ["type": "integer", "minimum": .number(Int(clamping: range.lowerBound))]
        if range.upperBound <= UInt64(Int.max) { schema["maximum"] = .number(Int(range.upperBound)) }
        return schema
    }
}
