import MildamCrypto
import MildamMLS
import MildamWire

/// The private parts of this device's key packages (H23).
public struct KeyPackageStock: Sendable {
    /// How many the relay is to have.
    public static let full = 50
    /// From so few on it gets new ones.
    public static let low = 25
    /// How many are kept of those that are used once: the oldest go.
    public static let most = 6 * full
    /// How long one is good for, in seconds: 30 days.
    public static let lifetime: UInt64 = 30 * 86_400
    /// How far before its making one is good already, in seconds: clocks differ.
    public static let slack: UInt64 = 3 * 86_400
    /// How long the private part is kept after that, in seconds: seven days.
    public static let grace: UInt64 = 7 * 86_400
    /// How long one is kept at the longest, in seconds.
    static let longestKept = lifetime + grace + 1
    /// How many of last resort are kept: the present one, and the one before; and those that Welcomes name which wait.
    public static let lastResorts = 2

    /// A key package, and its last second since 1970.
    public struct Held: Sendable {
        /// The key package with its private keys.
        public let bundle: KeyPackageBundle
        /// Its last second since 1970.
        public let notAfter: UInt64

        /// From this second since 1970 on nobody can use it any more, by whatever clock.
        var end: UInt64 { notAfter + KeyPackageStock.grace + 1 }

        /// One that was stored.
        package init(bundle: KeyPackageBundle, notAfter: UInt64) {
            self.bundle = bundle
            self.notAfter = notAfter
        }
    }

    /// Those that are used once.
    public private(set) var held: [Held] = [] { didSet { firstEnd = earliestEnd } }
    /// Those of last resort, the newest last.
    public private(set) var lastResort: [Held] = [] { didSet { firstEnd = earliestEnd } }
    /// The second since 1970 from which on one of them is good for nothing; `nil` for none. Each step asks for it.
    private(set) var firstEnd: UInt64?

    /// None.
    public init() {}

    /// A stock that was stored; of last resort the newest last.
    package init(held: [Held], lastResort: [Held]) {
        self.held = held
        self.lastResort = lastResort
        firstEnd = earliestEnd
    }

    /// When a key package that is made at a second is good.
    static func lifetime(at second: UInt64) -> Lifetime {
        Lifetime(notBefore: second - min(slack, second), notAfter: second + lifetime)
    }

    /// All, those that are used once first.
    var bundles: [KeyPackageBundle] { (held + lastResort).map(\.bundle) }

    /// Makes as many as the relay lacks, and another one of last resort.
    ///
    /// - Parameter waiting: what Welcomes name that were not opened yet: who asks as a stranger was given one of last resort.
    /// - Returns: what the relay is to keep, as MLSMessages; that of last resort is the last.
    /// - Throws: an `MLSError`.
    mutating func refill(
        left: Int,
        of device: OwnDevice,
        at second: UInt64,
        keeping waiting: Set<KeyPackageRef> = [],
        _ randomness: Randomness
    ) throws(MLSError) -> [[UInt8]] {
        let lifetime = KeyPackageStock.lifetime(at: second)
        var made: [Held] = []
        for _ in 0..<max(0, KeyPackageStock.full - max(0, left)) {
            let bundle = try device.keyPackage(lifetime: lifetime, isLastResort: false, randomness)
            made.append(Held(bundle: bundle, notAfter: lifetime.notAfter))
        }
        let last = Held(
            bundle: try device.keyPackage(lifetime: lifetime, isLastResort: true, randomness),
            notAfter: lifetime.notAfter
        )
        held = Array((held + made).suffix(KeyPackageStock.most))
        let all = lastResort + [last]
        let older = all.dropLast(KeyPackageStock.lastResorts).filter { held in
            held.end > second
                && (try? held.bundle.keyPackage.reference()).map { waiting.contains($0) } ?? false
        }
        lastResort = older + all.suffix(KeyPackageStock.lastResorts)
        return (made + [last]).map { MLSMessage.keyPackage($0.bundle.keyPackage).wireBytes }
    }

    /// Forgets one that a Welcome was for; one of last resort stays.
    mutating func use(_ keyPackage: KeyPackage) {
        if PlantedFault.forgetsToErase.isPresent { return }
        held.removeAll { $0.bundle.keyPackage == keyPackage }
    }

    /// Forgets those that nobody can use any more.
    ///
    /// - Returns: whether there were any.
    mutating func forget(at second: UInt64) -> Bool {
        guard let end = firstEnd, end <= second else { return false }
        held.removeAll { $0.end <= second }
        lastResort.removeAll { $0.end <= second }
        return true
    }

    private var earliestEnd: UInt64? { [held, lastResort].joined().lazy.map(\.end).min() }
}
