import MildamCrypto

/// What a group takes from outside.
public struct GroupEnvironment: Sendable {
    /// Who is who.
    public var authentication: any AuthenticationService
    /// What is allowed.
    public var policy: any GroupPolicy
    /// Random bytes.
    public var randomness: Randomness
    /// Where leaves and GroupInfos that are made here have values that mean nothing.
    public var grease: GREASE.Places
    /// The time in seconds since 1970.
    public var now: @Sendable () -> UInt64
    /// The application's pre-shared keys, and those of epochs of other groups; `nil` for one that nobody here has.
    public var presharedKey: @Sendable (PreSharedKeyID.Key) -> SymmetricKey?
    /// How much disorder of messages is put up with.
    public var ratchetLimits: RatchetLimits
    /// Of how many epochs that are over late application messages are still read. Their keys are kept so long.
    public let pastEpochs: Int
    /// Of how many epochs the resumption key is kept, the present one included, which is always there.
    public let resumptionEpochs: Int

    /// An environment of these parts.
    public init(
        authentication: any AuthenticationService,
        policy: any GroupPolicy,
        randomness: Randomness = .system,
        grease: GREASE.Places = .capabilities,
        now: @escaping @Sendable () -> UInt64,
        presharedKey: @escaping @Sendable (PreSharedKeyID.Key) -> SymmetricKey? = { _ in nil },
        ratchetLimits: RatchetLimits = RatchetLimits(),
        pastEpochs: Int = 1,
        resumptionEpochs: Int = 8
    ) {
        self.authentication = authentication
        self.policy = policy
        self.randomness = randomness
        self.grease = grease
        self.now = now
        self.presharedKey = presharedKey
        self.ratchetLimits = ratchetLimits
        self.pastEpochs = max(0, pastEpochs)
        self.resumptionEpochs = max(0, resumptionEpochs)
    }
}
