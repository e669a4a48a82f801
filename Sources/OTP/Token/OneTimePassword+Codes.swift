import MildamCrypto

extension OneTimePassword {
    /// The most steps that `matches` looks to a side.
    public static let windows = 0...100

    /// The code at a time, in seconds since 1970. That of a token that counts is the one of its counter.
    ///
    /// Whoever makes many codes of one token keeps a `CodeGenerator`.
    public func code(at time: UInt64) -> String {
        var generator = CodeGenerator(self)
        return generator.code(at: time)
    }

    /// How many seconds the code at this time stands yet, 1 to the period; `nil` for a token that counts.
    public func secondsRemaining(at time: UInt64) -> Int? {
        kind.period.map { $0 - Int(time % UInt64($0)) }
    }

    /// Whether a code is this token's, at a time or near it: for the side that verifies.
    ///
    /// All codes of the window are made and compared in full, whichever it is and whether it is one at all, so that the
    /// time taken depends on the window alone. A token that counts is looked for from its counter on (RFC 4226,
    /// section 7.4), one that goes by the clock on both sides of now (RFC 6238, section 5.2).
    ///
    /// - Parameters:
    ///   - code: as it is shown, without spaces.
    ///   - time: seconds since 1970.
    ///   - window: how many steps to look to a side, 0 to 100; more is a programmer's error.
    /// - Returns: the counter or time step whose code it is, the newest where it is that of several, or `nil`. Whoever
    ///   verifies keeps it and believes only newer ones: a code is good once (RFC 6238, section 5.2).
    public func matches(_ code: some StringProtocol, at time: UInt64, window: Int = 1) -> UInt64? {
        precondition(OneTimePassword.windows.contains(window), "a window is 0 to 100 steps to a side")
        var generator = CodeGenerator(self)
        let given = Array(code.utf8)
        let now = kind.step(at: time)
        let reach = UInt64(window)
        let first = if case .hotp = kind { now } else { now > reach ? now - reach : 0 }
        let last = now > UInt64.max - reach ? UInt64.max : now + reach
        var isFound: UInt64 = 0
        var found: UInt64 = 0
        for step in first...last {
            let isEqual = constantTimeEquals(generator.text(step: step).span, given.span)
            let mask = UInt64(truncatingIfNeeded: isEqual ? -1 : 0)
            found = found & ~mask | step & mask
            isFound |= mask
        }
        return isFound == 0 ? nil : found
    }
}
