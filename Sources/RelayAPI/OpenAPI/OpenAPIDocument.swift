/// The relay's routes as an OpenAPI 3.1 document: `openapi.json`, which is written by hand and held against ``Routes`` and
/// the types that travel by tests. Its schemas are JSON Schema 2020-12.
public enum OpenAPIDocument {
    /// The document as it is served: JSON in UTF-8, without white space between its tokens.
    public static let bytes: [UInt8] = {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(PackageResources.openapi_json.count)
        var isInString = false
        var isEscaped = false
        for byte in PackageResources.openapi_json {
            if !isInString, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") { continue }
            bytes.append(byte)
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return bytes
    }()
}
