import CLibSodium

/// What every call into libsodium shares.
enum LibSodium {
    /// Chooses the implementations for this processor, once per process. Each entry point calls it first.
    static func initialize() { _ = initialized }

    /// The start of the bytes: libsodium takes no null, not even for no bytes.
    static func octets(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
        unsafe bytes.octets ?? UnsafePointer(nowhere)
    }

    /// The start of the bytes, to be written.
    static func octets(_ bytes: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        unsafe bytes.octets ?? nowhere
    }

    /// Where no bytes lie; never read nor written.
    private nonisolated(unsafe) static let nowhere = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

    private static let initialized: Bool = {
        guard sodium_init() >= 0 else { fatalError("libsodium cannot start: it found no source of randomness") }
        return true
    }()
}
