import MildamCrypto

/// A passphrase in the place of one that was forgotten.
extension LocalKeychain {
    /// Sets a passphrase with any other way to open the keychain, which has to be unlocked. It takes the place of every
    /// passphrase there was, and the copies of earlier states go, which that would open.
    ///
    /// Where the way has no passcode (a recovery code, the TPM alone), the key of what only a passcode opens cannot be
    /// reached: those items go for good.
    ///
    /// - Parameter loss: the most items that may go.
    /// - Returns: how many went.
    /// - Throws: `wrongSecret`; `needsPassphrase` where more would go than `loss`; `invalidRequest` where another slot with a
    ///   passcode holds that key, which then has to be the way.
    @discardableResult
    public func resetPassphrase(
        _ new: SlotSecret,
        costs: PassphraseCosts = .tuned(),
        authorizedBy authorization: SlotSecret,
        loss: Int = 0
    ) async throws(KeychainError) -> Int {
        guard new.kind == .passphrase else { throw .invalidRequest(reason: "the new secret is no passphrase") }
        let (row, content) = try await open(authorization)
        let passcode = content.passcode ?? SymmetricKey(size: .bits256)
        let grown = KeySlot.Content(main: content.main, passcode: passcode)
        let (slot, key) = try await KeySlot.make(for: new, costs, identifier, now(), enclave)
        let sealed = try slot.seal(grown, under: key, identifier)
        return try core.withLock { (core) throws(KeychainError) in
            core.deferCopy()
            let removed = try core.change { (head) throws(KeychainError) in
                // All this took its time: another program may have changed the slots.
                let rows = try core.slotRows()
                guard rows.contains(where: { $0.number == row.number }) else { throw .noSuchSlot }
                let forgotten = rows.filter { KeySlot.kind(of: $0) == .passphrase }
                let rest = rows.count - forgotten.count
                guard rest < Self.maximumSlots else {
                    throw .invalidRequest(reason: "there are \(rest) ways to open the keychain already")
                }
                var removed = 0
                if content.passcode == nil {
                    let holders = rows.count(where: KeySlot.hasPasscode) - forgotten.count
                    guard holders == 0 else { throw .invalidRequest(reason: Self.anotherPasscode) }
                    guard try core.passcodeItemCount() <= loss else { throw .needsPassphrase }
                    removed = try core.removePasscodeItems(&head)
                }
                try core.removeCopies()
                for row in forgotten { try core.remove(slot: row.number, &head) }
                _ = try core.insert(slot, sealed, &head)
                return removed
            }
            try core.open(grown)
            core.cutLog()
            core.copyAnew()
            return removed
        }
    }

    private static let anotherPasscode =
        "a PIN, or the TPM with a passphrase, opens it, too: set the passphrase with that, or take it away with "
        + "`mildam keychain remove-slot`"

    /// How many items only a passcode opens, now or as they were before: those in the trash and former values count, too.
    ///
    /// - Throws: `locked`.
    public func passcodeItemCount() throws(KeychainError) -> Int {
        try core.withLock { (core) throws(KeychainError) in try core.passcodeItemCount() }
    }
}
