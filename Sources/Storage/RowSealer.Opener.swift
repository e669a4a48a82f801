import MildamCrypto

extension RowSealer {
    /// Opens values one after the other: the key is expanded once, and what they are opened into is used again.
    public struct Opener: ~Copyable {
        private static let nonceSize = 12
        private static let tagSize = 16
        private static let lengthSize = 4

        private let sealer: RowSealer
        private var opener: ChaChaPoly.Opener
        /// Wiped between two values.
        private var memory: [UInt8] = []

        /// An opener for what a sealer seals.
        public init(_ sealer: RowSealer) throws(StorageError) {
            self.sealer = sealer
            do throws(CryptoKitError) { opener = try ChaChaPoly.Opener(key: sealer.key) } catch {
                throw .misuse("a row's key of a wrong size")
            }
        }

        /// Lends the value of a sealed form to `body`; it is wiped then.
        ///
        /// - Throws: `.damaged` when it was not sealed under this key, for this place; what `body` throws.
        public mutating func open<Value>(
            _ sealed: Span<UInt8>,
            column: String,
            row: [KeyPart],
            _ body: (Span<UInt8>) throws(StorageError) -> Value
        ) throws(StorageError) -> Value {
            var place: [UInt8] = []
            sealer.append(column, row, to: &place)
            return try open(sealed, column, place, body)
        }

        /// Lends the value of a sealed form to `body`; it is wiped then.
        ///
        /// - Throws: `.damaged` when it was not sealed under this key, for this place; what `body` throws.
        public mutating func open<Value>(
            _ sealed: Span<UInt8>,
            at place: Place,
            _ body: (Span<UInt8>) throws(StorageError) -> Value
        ) throws(StorageError) -> Value {
            try open(sealed, place.column, place.bytes, body)
        }

        private mutating func open<Value>(
            _ sealed: Span<UInt8>,
            _ column: String,
            _ place: [UInt8],
            _ body: (Span<UInt8>) throws(StorageError) -> Value
        ) throws(StorageError) -> Value {
            let size = sealed.count - Self.nonceSize - Self.tagSize
            guard size >= Self.lengthSize else { throw sealer.damaged(column) }
            let nonce = unsafe sealed.extracting(first: Self.nonceSize).withUnsafeBytes { unsafe [UInt8]($0) }
            // A span of a property would keep the others from being changed.
            var padded = memory
            memory = []
            if padded.count < size { padded = [UInt8](repeating: 0, count: size) }
            padded.removeLast(padded.count - size)
            defer {
                padded.wipe()
                memory = padded
            }
            do throws(CryptoKitError) {
                var text = padded.mutableSpan
                try opener.open(
                    sealed.extracting(Self.nonceSize...),
                    nonce: try ChaChaPoly.Nonce(data: nonce),
                    authenticating: place.span,
                    into: &text
                )
            } catch {
                throw sealer.damaged(column)
            }
            let count = padded[..<Self.lengthSize].reduce(0) { $0 << 8 | Int($1) }
            guard count <= size - Self.lengthSize else { throw sealer.damaged(column) }
            return try body(padded.span.extracting(Self.lengthSize..<Self.lengthSize + count))
        }
    }
}
