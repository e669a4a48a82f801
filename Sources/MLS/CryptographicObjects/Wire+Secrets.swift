import MildamCrypto
import MildamWire

extension WireReader {
    /// `opaque name<V>` that is secret.
    @_lifetime(self: copy self)
    mutating func secret() throws(WireError) -> SymmetricKey {
        var bytes = try vector()
        defer { bytes.wipe() }
        return SymmetricKey(data: bytes)
    }
}

extension WireWriter {
    /// Appends `opaque name<V>` that is secret; whoever takes the writer's bytes wipes them.
    mutating func secret(_ secret: SymmetricKey) {
        unsafe secret.withUnsafeBytes { unsafe vector($0) }
    }
}
