/// Hybrid public key encryption (RFC 9180): messages to the holder of a private key, of which the sender may show who it
/// is by a key of its own, by a secret that both know, or by both.
///
/// | RFC 9180 | here |
/// |---|---|
/// | `SetupBaseS`, `SetupPSKS`, `SetupAuthS`, `SetupAuthPSKS` | the initialisers of ``HPKE/Sender`` |
/// | `SetupBaseR`, `SetupPSKR`, `SetupAuthR`, `SetupAuthPSKR` | the initialisers of ``HPKE/Recipient`` |
/// | `Seal…`, `Open…` (section 6.1) | `HPKE.seal` and `HPKE.open`, for one message |
/// | `SendExport…`, `ReceiveExport…` (section 6.2) | `HPKE.sendExport` and `HPKE.receiveExport` |
/// | `GenerateKeyPair`, `DeriveKeyPair`, `DeserializePrivateKey` | ``HPKE/PrivateKey`` |
/// | `SerializePublicKey`, `DeserializePublicKey` | ``HPKE/PublicKey`` |
///
/// Sender, recipient and keys of curves have CryptoKit's names. ``HPKE/PrivateKey`` and ``HPKE/PublicKey`` are for
/// protocols that learn from the wire which KEM they have to do with, and stand wherever a curve's own keys do.
///
/// `DHKEM(P-384, HKDF-SHA384)` has no published test vector: it is P-256's and P-521's code on another curve, and tested
/// against itself and a second implementation.
public enum HPKE {}

extension HPKE {
    /// How a sender shows who it is (RFC 9180, section 5, table 1).
    enum Mode: UInt8 {
        case base = 0
        case psk = 1
        case auth = 2
        case authPSK = 3

        init(hasPresharedKey: Bool, isAuthenticated: Bool) {
            self =
                switch (hasPresharedKey, isAuthenticated) {
                case (false, false): .base
                case (true, false): .psk
                case (false, true): .auth
                case (true, true): .authPSK
                }
        }
    }
}
