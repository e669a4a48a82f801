/// How a key is made.
public struct EnclaveKeyOptions: Sendable {
    /// What each use of the key asks for.
    ///
    /// A TPM counts wrong ones, and refuses all of them for a while after too many. Without one, whoever can talk to
    /// the TPM can use the key. A software key cannot be without one: it is the passphrase that the key is wrapped under.
    public var pin: EnclavePIN?

    /// A key with the given PIN, or without one.
    public init(pin: EnclavePIN? = nil) {
        self.pin = pin
    }
}
