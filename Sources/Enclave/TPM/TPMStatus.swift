/// What a TPM says of itself (TPM 2.0 part 2, section 6.13).
public struct TPMStatus: Sendable, Equatable {
    /// How this program reaches it.
    public let address: String
    /// The maker: four characters or fewer, as "IBM" or "INTC" (TCG vendor ID registry).
    public let manufacturer: String
    /// The maker's name for it, up to 16 characters.
    public let model: String
    /// The firmware's version, four numbers of 16 bits.
    public let firmware: String
    /// How many wrong PINs, and power cuts after a PIN was used, are held against whoever tries next.
    public let lockoutCounter: Int
    /// At how many it locks out.
    public let maximumTries: Int
    /// Whether it refuses every PIN for now.
    public let isLockedOut: Bool
    /// After how many seconds without a wrong PIN one is forgiven.
    public let recoverySeconds: Int
    /// How many objects are loaded, and take a slot each. Behind the kernel's resource manager, `/dev/tpmrm0`, only this
    /// program's own are seen.
    public let loadedObjects: Int
    /// How many sessions are loaded; seen as objects are.
    public let loadedSessions: Int
    /// For how many more objects the TPM says that it has room.
    public let freeObjectSlots: Int
}
