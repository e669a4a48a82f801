extension RowSealer {
    /// A part of what names a row.
    public enum KeyPart: Hashable, Sendable {
        /// An identifier.
        case bytes([UInt8])
        /// A number.
        case integer(Int64)
        /// A name.
        case text(String)

        /// Appends its kind, its length in 4 bytes, and itself.
        func append(to place: inout [UInt8]) {
            switch self {
            case .bytes(let value): Self.append(bytes: value, to: &place)
            case .integer(let value): Self.append(integer: value, to: &place)
            case .text(let value): Self.append(3, value.utf8, to: &place)
            }
        }

        /// Appends an identifier.
        static func append(bytes value: some Collection<UInt8>, to place: inout [UInt8]) {
            append(1, value, to: &place)
        }

        /// Appends a number.
        static func append(integer value: Int64, to place: inout [UInt8]) {
            unsafe withUnsafeBytes(of: value.bigEndian) { unsafe append(2, $0, to: &place) }
        }

        /// Appends the name of a table or a column.
        static func append(name: String, to place: inout [UInt8]) { append(0, name.utf8, to: &place) }

        private static func append(_ kind: UInt8, _ part: some Collection<UInt8>, to place: inout [UInt8]) {
            place.append(kind)
            unsafe withUnsafeBytes(of: UInt32(part.count).bigEndian) { unsafe place.append(contentsOf: $0) }
            place.append(contentsOf: part)
        }
    }
}
