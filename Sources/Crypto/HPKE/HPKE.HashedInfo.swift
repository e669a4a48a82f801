extension HPKE {
    /// What both sides know of their protocol, for messages to many: hashed once, for however many of them.
    package struct HashedInfo: Sendable {
        let ciphersuite: Ciphersuite
        /// `info_hash` (RFC 9180, section 5.1), as long as the ciphersuite's hash.
        let hash: [UInt8]

        /// The hash of this, for one ciphersuite.
        package init(_ info: Span<UInt8>, ciphersuite: Ciphersuite) {
            self.ciphersuite = ciphersuite
            hash = unsafe info.withUnsafeBytes { unsafe ciphersuite.labeledKDF.hash("info_hash", $0) }
        }
    }
}
