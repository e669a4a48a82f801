import MildamRelayAPI
import MildamTransport
import MildamWire

/// Reads bodies in TLS presentation language.
enum StructureBody {
    /// - Throws: `bad_request`, which says what is wrong and nothing of what the body holds.
    static func decode<Value: WireDecodable>(_ type: Value.Type, from body: [UInt8]) throws(APIError) -> Value {
        do throws(WireError) {
            return try Value(wireBytes: body)
        } catch {
            throw APIError(.badRequest, "the body is no \(type): \(error)")
        }
    }
}

extension HTTPResponse {
    /// A structure in TLS presentation language, encoded.
    static func structure(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            fields: ["Content-Type": "application/vnd.mildam+tls", "Cache-Control": "no-store"],
            body: bytes
        )
    }
}
