/// Whether a key package can be used to add its owner (RFC 9420, section 10.1).
extension LeafNodeCheck {
    /// What a key package says, by itself.
    func check(_ keyPackage: KeyPackage) throws(MLSError) {
        try require(
            .keyPackageFitsGroup,
            keyPackage.version == .mls10 && keyPackage.cipherSuite == suite.cipherSuite
        )
        try require(.keyPackageSignatureIsValid, suite.isAuthentic(keyPackage))
        try require(.initKeyIsValid, suite.isValid(keyPackage.initKey))
        try require(.initKeyIsAnother, keyPackage.initKey != keyPackage.leafNode.encryptionKey)
        try require(.keyPackageExtensionsAreDistinct, keyPackage.extensions.areDistinct)
        try check(keyPackage.leafNode, at: nil, from: .keyPackage)
    }
}
