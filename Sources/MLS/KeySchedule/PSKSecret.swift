import MildamCrypto
import MildamWire

/// What pre-shared keys bring into the key schedule (RFC 9420, section 8.4).
extension Suite {
    /// `psk_secret`, of the keys in their order; zeros, for none.
    func presharedSecret(_ keys: [(id: PreSharedKeyID, key: SymmetricKey)]) -> SymmetricKey {
        var secret = zero
        for (index, (id, key)) in keys.enumerated() {
            //     struct {
            //       PreSharedKeyID id;
            //       uint16 index;
            //       uint16 count;
            //     } PSKLabel;
            var label = WireWriter()
            id.encode(into: &label)
            label.integer(UInt16(index))
            label.integer(UInt16(keys.count))
            let input = expand(extract(salt: zero, key), "derived psk", context: label.bytes)
            secret = extract(salt: input, secret)
        }
        return secret
    }
}
