/// The parameters of a URI: their names, and where their values lie. The values stay encoded.
package struct URIParameters {
    /// How many there may be.
    static let limit = 64

    private var values: [String: Range<Int>] = [:]

    /// Reads `name=value&name=value`. Case means nothing in a name; an empty parameter is none.
    ///
    /// - Parameters:
    ///   - text: the whole URI.
    ///   - start: where the parameters begin in it.
    /// - Throws: `duplicate` for a name that is there twice, whatever it is; `tooLong(.parameter)` for too many.
    package init(_ text: Span<UInt8>, from start: Int) throws(TokenError) {
        var start = start
        while start < text.count {
            let end = text.firstIndex(of: UInt8(ascii: "&"), from: start) ?? text.count
            defer { start = end + 1 }
            guard end > start else { continue }
            let separator = text.extracting(start..<end).firstIndex(of: UInt8(ascii: "=")).map { start + $0 } ?? end
            guard let name = PercentText.string(text.extracting(start..<separator))?.lowercased() else {
                throw .malformed(.parameter)
            }
            guard values[name] == nil else { throw .duplicate(TokenField(rawValue: name) ?? .parameter) }
            guard values.count < URIParameters.limit else { throw .tooLong(.parameter) }
            values[name] = min(separator + 1, end)..<end
        }
    }

    /// The value of a parameter in the URI that it was read from; empty where it is not there.
    @_lifetime(copy text)
    package func value(_ name: String, in text: Span<UInt8>) -> Span<UInt8> { text.extracting(values[name] ?? 0..<0) }
}
