import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// An account with its device, as a relay that is played has it from the beginning.
package struct PlayedAccount: Sendable {
    /// The device.
    package let device: PlayedDevice
    /// What others call the account.
    package let handle: Handle
    /// What the device signs with.
    package let key: Curve25519.Signing.PublicKey
    /// What is served of the account: an `AccountBundle`, as JSON.
    package let bundle: [UInt8]

    /// An account.
    package init(
        _ device: PlayedDevice,
        handle: Handle,
        key: Curve25519.Signing.PublicKey,
        bundle: [UInt8]
    ) {
        self.device = device
        self.handle = handle
        self.key = key
        self.bundle = bundle
    }
}

/// Accounts and devices.
extension PlayedRelay {
    /// Makes accounts, each of which says of all the others that it knows them.
    package func make(_ accounts: [PlayedAccount]) -> Result<Void, APIError> {
        perform(MakeAccounts(accounts: accounts))
    }

    /// A device has new keys: its key packages go.
    package func renew(_ account: PlayedAccount, replacing bundle: [UInt8]) -> Result<Void, APIError> {
        perform(
            RenewDevice(
                renewal: DeviceRenewal(
                    address: account.device.address,
                    signatureKey: account.key,
                    before: bundle,
                    bundle: account.bundle
                )
            )
        )
    }

    /// An account is deleted by its owner.
    ///
    /// - Parameter closing: what is served in its place: `Signed<AccountClosing>`.
    package func delete(_ device: PlayedDevice, leaving closing: [UInt8]) -> Result<Void, APIError> {
        perform(EndAccount(removal: AccountRemoval(account: device.account, closing: closing) { "once \($0)" }))
    }

    /// Keeps key packages of a device.
    package func put(_ upload: KeyPackageUpload, by device: PlayedDevice) -> Result<KeyPackageCount, APIError> {
        let found: [CheckedKeyPackage]
        do throws(APIError) {
            found = try KeyPackageCheck.check(upload, of: device.address, at: clock.milliseconds / 1000)
        } catch {
            return .failure(error)
        }
        return perform(PutKeyPackages(address: device.address, replaces: upload.replaces, keyPackages: found))
    }

    /// How many key packages of a device can be claimed.
    package func stock(of device: PlayedDevice) -> Result<KeyPackageCount, APIError> {
        let now = clock.milliseconds
        return read { reads throws(StorageError) in
            .success(KeyPackageCount(of: try reads.stock(of: device.address), at: now))
        }
    }

    /// Claims a key package of each device of an account: an encoded `ClaimedKeyPackages`.
    package func claim(
        _ request: ClaimRequest,
        of handle: Handle,
        by device: PlayedDevice
    ) -> Result<[UInt8], APIError> {
        perform(ClaimKeyPackages(sender: device.sender, handle: handle, request: request))
    }

    /// A blob is there whole, as if all of its pieces had come; its bytes are not looked at.
    package func upload(_ blob: BlobID, to room: RoomID, by device: PlayedDevice) -> Result<BlobState, APIError> {
        let piece = BlobPiece(room: room, blob: blob, size: 1, offset: 0, count: 1)
        return perform(RecordPiece(piece: piece, sender: device.account))
    }

    // MARK: Mailboxes

    /// A device's mailbox from a number on.
    package func mailbox(of device: PlayedDevice, from number: UInt64) -> Result<MailboxPage, APIError> {
        read { reads throws(StorageError) in
            ReadRules.judge(try reads.mailbox(device.address, from: number), from: number)
        }
    }

    /// A device has what lies in its mailbox up to a number.
    package func dropMailbox(of device: PlayedDevice, through last: UInt64) -> Result<Void, APIError> {
        perform(DropMailbox(address: device.address, last: last))
    }
}

/// Deletes an account whose owner has shown that they are that.
private struct EndAccount: StoreOperation {
    let removal: AccountRemoval

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        try removal.perform(&facts, at: now)
        return .success(())
    }
}

/// Writes accounts down as a registration does, all at once.
private struct MakeAccounts: StoreOperation {
    let accounts: [PlayedAccount]

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        let nobodys = SaltedVerifier(
            salt: [UInt8](repeating: 0, count: SaltedVerifier.authenticatorSize),
            verifier: [UInt8](repeating: 0, count: SaltedVerifier.authenticatorSize)
        )
        for account in accounts {
            let address = account.device.address
            facts.make(address.account, handle: account.handle, bundle: account.bundle, verifier: nobodys)
            facts.put(DeviceFact(key: [UInt8](account.key.rawRepresentation)), at: address)
        }
        for account in accounts {
            let owner = account.device.account
            for other in accounts where other.device.account != owner {
                guard let id = try? StandingID(bytes: other.device.account.bytes) else { continue }
                facts.put(.known, of: other.device.account, as: StandingName(owner: owner, id: id))
            }
        }
        return .success(())
    }
}
