import FoundationEssentials
import MildamCrypto
import MildamWire

/// What Argon2id (RFC 9106, one lane) has to do for a passphrase: chosen when a slot is made, kept with it.
public struct PassphraseCosts: Equatable, Sendable {
    /// The memory to fill, in KiB.
    public let memoryKiB: UInt32
    /// How often to go over it.
    public let passes: UInt32

    /// What is accepted: from the least that OWASP names (19 MiB, 2 passes) to 2 GiB and 64 passes, so that a changed
    /// file can neither make guessing cheap nor have a program fill the machine.
    static let memoryRange: ClosedRange<UInt32> = 19 * 1024...2 << 20
    static let passesRange: ClosedRange<UInt32> = 2...64

    /// The least that is accepted: 19 MiB and 2 passes.
    public static let least = PassphraseCosts(known: memoryRange.lowerBound, passesRange.lowerBound)

    /// Given costs.
    ///
    /// - Returns: `nil` outside 19 MiB to 2 GiB and 2 to 64 passes.
    public init?(memoryKiB: UInt32, passes: UInt32) {
        guard Self.memoryRange.contains(memoryKiB), Self.passesRange.contains(passes) else { return nil }
        self.init(known: memoryKiB, passes)
    }

    private init(known memoryKiB: UInt32, _ passes: UInt32) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// Costs that take this machine about `duration`: 64 MiB, and as many passes as fit.
    public static func tuned(for duration: Duration = .milliseconds(500)) -> PassphraseCosts {
        let memory: UInt32 = 64 * 1024
        let clock = ContinuousClock()
        let start = clock.now
        let salt = SecureRandom.bytes(count: KDF.Argon2id.saltByteCount)
        let done = try? KDF.Argon2id.deriveBytes(
            from: [UInt8](),
            salt: salt,
            outputByteCount: 32,
            memoryKiB: Int(memory),
            passes: 2
        )
        guard let done else { return .least }
        _ = consume done
        let passes = 2 * (duration / max(start.duration(to: clock.now), .milliseconds(1)))
        return PassphraseCosts(known: memory, UInt32(min(max(passes.rounded(), 3), 16)))
    }

    /// 32 bytes of a passphrase.
    func stretch(_ passphrase: SecretValue, salt: [UInt8]) throws(KeychainError) -> SecretBytes {
        do throws(CryptoKitError) {
            return try unsafe passphrase.withUnsafeBytes { (passphrase) throws(CryptoKitError) in
                try unsafe KDF.Argon2id.deriveBytes(
                    from: passphrase,
                    salt: salt,
                    outputByteCount: 32,
                    memoryKiB: Int(memoryKiB),
                    passes: Int(passes)
                )
            }
        } catch .underlyingCoreCryptoError(let code) {
            throw .io(.init("take \(memoryKiB / 1024) MiB of memory for the passphrase", code: code))
        } catch {
            throw .invalidRequest(reason: "a passphrase that Argon2id does not take")
        }
    }
}

/// ```
/// struct { uint32 memory_kib; uint32 passes; } PassphraseCosts;
/// ```
extension PassphraseCosts: WireEncodable, WireDecodable {
    /// Appends memory and passes.
    public func encode(into writer: inout WireWriter) {
        writer.integer(memoryKiB)
        writer.integer(passes)
    }

    /// Reads costs; those out of range are refused.
    public init(from reader: inout WireReader) throws(WireError) {
        let costs = PassphraseCosts(memoryKiB: try reader.integer(), passes: try reader.integer())
        guard let costs else { throw .invalidValue(field: "costs") }
        self = costs
    }
}
