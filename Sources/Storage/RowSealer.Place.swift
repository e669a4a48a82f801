extension RowSealer {
    /// What is authenticated with the values of one column: its name, and the parts of a row's key. It is used for one row
    /// after the other.
    public struct Place {
        /// The column.
        let column: String
        private(set) var bytes: [UInt8] = []
        /// Bytes that are the same for every row.
        private let start: Int

        /// The places of a column's values.
        public init(of sealer: RowSealer, column: String) {
            var bytes: [UInt8] = []
            sealer.append(column, [], to: &bytes)
            self.column = column
            self.bytes = bytes
            start = bytes.count
        }

        /// Begins the next row, without a part of its key.
        public mutating func begin() { bytes.removeLast(bytes.count - start) }

        /// Appends an identifier, as ``KeyPart/bytes(_:)`` does.
        public mutating func append(_ part: Span<UInt8>) {
            unsafe part.withUnsafeBytes { unsafe KeyPart.append(bytes: $0, to: &bytes) }
        }

        /// Appends a number, as ``KeyPart/integer(_:)`` does.
        public mutating func append(_ number: Int64) { KeyPart.append(integer: number, to: &bytes) }
    }
}
