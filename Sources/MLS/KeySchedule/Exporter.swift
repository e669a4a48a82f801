import MildamCrypto

/// Secrets for uses outside of MLS (RFC 9420, section 8.5).
extension Suite {
    /// `MLS-Exporter`.
    func export(_ exporterSecret: SymmetricKey, _ label: String, context: [UInt8], size: Int) -> SymmetricKey {
        expand(derive(exporterSecret, label), "exported", context: hash.hash(context.span), size: size)
    }
}
