import CTSS2
import MildamCrypto
import MildamSystem

/// An enclave in a TPM 2.0: private keys are made in the chip, used in it, and never leave it.
///
/// It connects for each piece of work, loads what that needs, and leaves nothing behind. The storage key is loaded from
/// what the TPM saved of it the first time. To keep it loaded would win nothing: the kernel's resource manager saves and
/// loads what is loaded around every single command; and in a TPM without a resource manager, what a killed program had
/// loaded stays, and takes one of three slots from everybody.
///
/// Each command with something to hide is sent in a session salted to the storage key, once that key's Name is the one
/// that the key was made under. Who can change what passes on the bus can keep it from working, and no more.
///
/// It works on a thread of its own, one piece of work after the other. `TPM2_Shutdown` is not sent by anything here: it
/// is the machine's to send.
public actor TPMEnclave: Enclave {
    /// Where the TPM is.
    public nonisolated let address: TPMAddress
    private let executor = ThreadExecutor(name: "tpm")
    /// The storage key's Name, once it is known: one enclave trusts one storage key.
    private var storageKeyName: TPMName?
    private var savedStorageKey: SavedObject?
    /// What tells this TPM from others even after it was cleared; asked for with the first key, and `nil` where the owner
    /// forbids to ask.
    private var chipName: TPMName?
    private var hasAskedForChipName = false

    /// The thread on which the TPM is waited for.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// An enclave in the TPM at an address. Nothing is asked of it yet.
    public init(_ address: TPMAddress) {
        self.address = address
    }

    /// Makes a key in the chip.
    public func makeKey(
        _ purpose: EnclaveKeyPurpose,
        options: EnclaveKeyOptions
    ) throws(EnclaveError) -> EnclaveKeyBlob {
        try perform { connection throws(EnclaveError) in
            let hasPIN = options.pin != nil
            let chip = try findChipName(connection)
            let parent = try loadStorageKey(connection)
            let areas = try asking(connection) { () throws(ResponseCode) in
                try connection.create(
                    TPMTemplate.key(purpose, hasPIN: hasPIN),
                    authorization: options.pin?.authorization
                )
            }
            guard let publicKey = areas.publicArea.point(purpose, hasPIN: hasPIN) else { throw .forgedAnswer }
            return EnclaveKeyBlob(
                publicKey: publicKey,
                hasPIN: hasPIN,
                protection: .tpm(
                    TPMProtectedKey(storageKeyName: parent, chipName: chip, privateArea: areas.privateArea)
                )
            )
        }
    }

    /// Agrees in the chip.
    public func sharedSecret(
        with publicKey: P256.KeyAgreement.PublicKey,
        key: EnclaveKeyBlob,
        pin: EnclavePIN?
    ) throws(EnclaveError) -> SharedSecret {
        try use(key, for: .keyAgreement, pin) { connection, key throws(ResponseCode) in
            try connection.sharedSecret(of: key, with: publicKey, authorization: pin?.authorization)
        }
    }

    /// Signs in the chip.
    public func signature(
        for digest: SHA256Digest,
        key: EnclaveKeyBlob,
        pin: EnclavePIN?
    ) throws(EnclaveError) -> P256.Signing.ECDSASignature {
        try use(key, for: .signing, pin) { connection, key throws(ResponseCode) in
            try connection.signature(of: key, for: digest, authorization: pin?.authorization)
        }
    }

    /// What the TPM says of itself.
    public func status() throws(EnclaveError) -> EnclaveStatus {
        .tpm(
            try perform { connection throws(EnclaveError) in
                try asking(connection) { () throws(ResponseCode) in try TPMStatus(connection, at: address) }
            }
        )
    }

    // MARK: Work

    /// Connects for one piece of work.
    func perform<Result>(
        _ body: (TPMConnection) throws(EnclaveError) -> Result
    ) throws(EnclaveError) -> Result {
        guard !Task.isCancelled else { throw .cancelled }
        if address.isManaged {
            let connection = try TPMConnection(address)
            defer { connection.close() }
            return try body(connection)
        }
        let slots = try SlotGuard(address)
        let connection = try TPMConnection(address)
        try recover(connection, slots)
        defer {
            connection.close()
            if !connection.isSpoilt { slots.end() }
        }
        return try body(connection)
    }

    /// Removes what one that was killed has left, and writes down what is there.
    private func recover(_ connection: TPMConnection, _ slots: SlotGuard) throws(EnclaveError) {
        let before = slots.unfinished
        let loaded = try asking(connection) { () throws(ResponseCode) in
            var loaded = try connection.handles(from: MILDAM_TRANSIENT_FIRST)
            loaded += try connection.handles(from: MILDAM_LOADED_SESSION_FIRST)
            guard let before else { return loaded }
            for handle in loaded where !before.contains(handle) { try connection.flush(handle: handle) }
            return loaded.filter(before.contains)
        }
        do throws(SystemError) { try slots.begin(loaded) } catch { throw .system(error) }
    }

    /// Loads a key for one use, once the storage key is known to be the one that it was made under.
    private func use<Result>(
        _ key: EnclaveKeyBlob,
        for purpose: EnclaveKeyPurpose,
        _ pin: EnclavePIN?,
        _ body: (TPMConnection, ESYS_TR) throws(ResponseCode) -> Result
    ) throws(EnclaveError) -> Result {
        guard case .tpm(let protected) = key.protection else { throw .wrongKind }
        try key.check(isFor: purpose, pin: pin)
        return try perform { connection throws(EnclaveError) in
            let name = try loadStorageKey(connection, isComparedLater: true)
            guard name == protected.storageKeyName else { throw strangeStorageKey(connection, protected.chipName) }
            return try connection.withLoaded(
                TPMTemplate.key(key.publicKey, hasPIN: key.hasPIN),
                protected.privateArea,
                // The TPM checks what it gave away when it gets it back.
                orThrow: { $0.meaning == .other && $0.isRefusal ? .damagedBlob : EnclaveError($0, at: address) }
            ) { loaded throws(EnclaveError) in
                do throws(ResponseCode) {
                    return try body(connection, loaded)
                } catch {
                    if error.meaning == .wrongAuthorization, key.hasPIN {
                        throw .wrongPIN(triesLeft: try dictionary(connection).triesLeft)
                    }
                    throw try explained(error, connection)
                }
            }
        }
    }

    /// Asks the TPM something.
    func asking<Result>(
        _ connection: TPMConnection,
        _ body: () throws(ResponseCode) -> Result
    ) throws(EnclaveError) -> Result {
        do throws(ResponseCode) { return try body() } catch { throw try explained(error, connection) }
    }

    private func explained(_ code: ResponseCode, _ connection: TPMConnection) throws(EnclaveError) -> EnclaveError {
        guard code.meaning == .lockedOut else { return EnclaveError(code, at: address) }
        return .lockedOut(recoverySeconds: try dictionary(connection).recoverySeconds)
    }

    private func dictionary(_ connection: TPMConnection) throws(EnclaveError) -> TPMStatus {
        do throws(ResponseCode) {
            return try TPMStatus(connection, at: address)
        } catch {
            throw EnclaveError(error, at: address)
        }
    }

    // MARK: The storage key

    /// Loads the storage key.
    ///
    /// - Parameter isComparedLater: whether the caller compares the Name with the one that it expects.
    /// - Returns: its Name, as this program computes it.
    /// - Throws: `otherTPM` or `tpmCleared` when it is another than before, and nobody compares it.
    func loadStorageKey(
        _ connection: TPMConnection,
        isComparedLater: Bool = false
    ) throws(EnclaveError) -> TPMName {
        if let saved = savedStorageKey, let name = storageKeyName {
            // It is refused after a reset, and by another TPM.
            if let loaded = try? connection.load(saved) {
                connection.storageKey = loaded
                return name
            }
            savedStorageKey = nil
        }
        do throws(ResponseCode) {
            let loaded = try connection.createPrimary(in: ESYS_TR_RH_OWNER, TPMTemplate.storageKey())
            connection.storageKey = loaded
            let name = try connection.name(of: loaded)
            if storageKeyName == nil || name == storageKeyName { savedStorageKey = try connection.saved(loaded) }
            guard let known = storageKeyName else {
                storageKeyName = name
                return name
            }
            if name == known || isComparedLater { return name }
        } catch {
            throw error.meaning == .wrongAuthorization ? .ownerPasswordSet : EnclaveError(error, at: address)
        }
        throw strangeStorageKey(connection, chipName)
    }

    /// Which TPM this is, when its storage key is not the expected one.
    private func strangeStorageKey(_ connection: TPMConnection, _ expected: TPMName?) -> EnclaveError {
        connection.flushStorageKey()
        guard let expected, let found = try? readChipName(connection), found == expected else { return .otherTPM }
        return .tpmCleared
    }

    private func findChipName(_ connection: TPMConnection) throws(EnclaveError) -> TPMName? {
        if hasAskedForChipName { return chipName }
        do throws(ResponseCode) {
            chipName = try readChipName(connection)
        } catch  where error.isRefusal {
        } catch {
            throw EnclaveError(error, at: address)
        }
        hasAskedForChipName = true
        return chipName
    }

    /// The Name of a key that the endorsement hierarchy's seed makes, which outlives `TPM2_Clear`.
    private func readChipName(_ connection: TPMConnection) throws(ResponseCode) -> TPMName {
        let key = try connection.createPrimary(in: ESYS_TR_RH_ENDORSEMENT, TPMTemplate.storageKey())
        defer { connection.flush(key) }
        return try connection.name(of: key)
    }
}
