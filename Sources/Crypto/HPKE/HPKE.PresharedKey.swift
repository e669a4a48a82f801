import FoundationEssentials

extension HPKE {
    /// A secret that sender and recipient know, and what they call it: the inputs of the modes with a pre-shared key
    /// (RFC 9180, section 5.1.2), consistent with one another.
    public struct PresharedKey: Sendable, CustomStringConvertible, CustomReflectable {
        /// The fewest bytes that a pre-shared key may have: 32 (RFC 9180, section 9.5). That they are as many bytes of
        /// entropy nobody can check.
        public static let minimumByteCount = 32

        let key: SymmetricKey
        let identifier: Data

        /// A pre-shared key of 32 bytes or more, and its identifier of at least one.
        ///
        /// - Throws: `inconsistentPSKInputs` when one of them is empty; `expectedPSK` when both are; `tooShortPSK`.
        public init(_ key: SymmetricKey, identifier: some DataProtocol) throws(Errors) {
            guard key.byteCount > 0 || !identifier.isEmpty else { throw .expectedPSK }
            guard key.byteCount > 0, !identifier.isEmpty else { throw .inconsistentPSKInputs }
            guard key.byteCount >= PresharedKey.minimumByteCount else { throw .tooShortPSK }
            self.key = key
            self.identifier = Data(identifier)
        }

        /// What it is, and nothing of it.
        public var description: String { "HPKE.PresharedKey" }

        /// Empty: a dump shows nothing of it.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
