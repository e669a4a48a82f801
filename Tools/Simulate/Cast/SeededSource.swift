import MildamCrypto
import Synchronization

/// Random bytes that a seed decides: each drawing hashes the seed and the number of the drawing.
package enum SeededSource {
    private final class Drawings: Sendable {
        private let count = Atomic<UInt64>(0)

        func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    /// What a short seed decides.
    package static func source(_ seed: UInt8) -> Randomness { source([UInt8](repeating: seed, count: 32)) }

    /// What a seed decides.
    package static func source(_ seed: [UInt8]) -> Randomness {
        let (drawings, seed) = (Drawings(), SymmetricKey(data: seed))
        return Randomness(drawing: { count in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: seed,
                info: Array("\(drawings.next())".utf8),
                outputByteCount: count
            )
        })
    }
}
