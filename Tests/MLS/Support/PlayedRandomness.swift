import MildamCrypto
import Synchronization

/// Random bytes that a seed decides: each drawing hashes the seed and the number of the drawing.
enum PlayedRandomness {
    private final class Drawings: Sendable {
        private let count = Atomic<UInt64>(0)

        func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    static func source(seed: UInt8) -> Randomness {
        let (drawings, seed) = (Drawings(), SymmetricKey(data: [UInt8](repeating: seed, count: 32)))
        return Randomness(drawing: { count in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: seed,
                info: Array("\(drawings.next())".utf8),
                outputByteCount: count
            )
        })
    }
}
