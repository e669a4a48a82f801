import MildamWire

/// A list of extensions, in its order: `Extension extensions<V>` (RFC 9420, section 13.4).
public struct Extensions: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The extensions.
    public var list: [Extension]

    /// These extensions; none, unless named.
    public init(_ list: [Extension] = []) { self.list = list }

    /// Reads a list.
    public init(from reader: inout WireReader) throws(WireError) { list = try reader.vector(of: Extension.self) }

    /// Appends the list.
    public func encode(into writer: inout WireWriter) { writer.vector(of: list) }

    /// Their kinds, in their order.
    public var types: [ExtensionType] { list.map(\.type) }

    /// Whether no kind is there twice.
    var areDistinct: Bool { Set(types).count == list.count }

    /// The content of the first one of this kind.
    public subscript(type: ExtensionType) -> [UInt8]? { list.first { $0.type == type }?.data }

    /// What the extension of a kind says; `nil` where there is none.
    ///
    /// - Throws: a `WireError` when it is not what its kind has.
    func read<Value: WireDecodable>(_ type: ExtensionType, as value: Value.Type) throws(WireError) -> Value? {
        guard let data = self[type] else { return nil }
        return try Value(wireBytes: data)
    }
}
