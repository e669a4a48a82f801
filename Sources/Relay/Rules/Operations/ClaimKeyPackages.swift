import MildamIdentity
import MildamRelayAPI
import MildamWire

/// Takes a key package of each device of an account, once: a retry under the same id gets the same ones.
///
/// Who does not know the claimer gives those of last resort alone: a stranger uses up nobody's others.
struct ClaimKeyPackages: StoreOperation {
    let sender: Sender
    let handle: Handle
    let request: ClaimRequest

    /// Claims of one account for another in an hour.
    static let hourly = 10

    var rows: Int { 2 + Limits.accountDevices / 4 }
    var prefetch: [FactKey] { [.accountNamed(handle.text), .claim(name), .usage(sender.account)] }

    private var name: ClaimName { ClaimName(claimer: sender.account, id: request.id) }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<[UInt8], APIError> {
        guard let owner = try facts.account(named: handle.text), try facts.account(owner)?.handle != nil else {
            return .failure(APIError(.unknownAccount, "there is no account of this handle"))
        }
        if let earlier = try facts.claim(name) {
            guard earlier.owner == owner else {
                return .failure(APIError(.idReused, "this id was used for a claim of another account's key packages"))
            }
            return .success(earlier.answer)
        }
        let pair = ClaimPair(claimer: sender.account, owner: owner)
        let recent = try facts.claimTimes(pair).filter { $0 > now - DropClaims.lifetime }
        guard recent.count < Self.hourly else {
            return .failure(
                APIError(
                    .rateLimited,
                    "this account has claimed key packages of this one \(Self.hourly) times in an hour",
                    number: UInt64(max(1, ((recent.min() ?? now) + DropClaims.lifetime - now) / 1000))
                )
            )
        }
        let entries = try take(from: owner, &facts, at: now)
        guard entries.contains(where: { !$0.keyPackage.isEmpty }) else {
            return .failure(APIError(.noKeyPackage, "no device of the account has a key package"))
        }
        let answer = ClaimedKeyPackages(entries).wireBytes
        if let refusal = try facts.refusal(of: DiskUsage.row + answer.count, by: sender.account) {
            return .failure(refusal)
        }
        facts.put(ClaimFact(owner: owner, answer: answer), named: name, at: now)
        return .success(answer)
    }

    private func take(
        from owner: AccountID,
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) -> [ClaimedKeyPackages.Entry] {
        let subject = StandingSubject(owner: owner, sender: sender.account)
        let standing = try facts.standing(subject)?.standing
        let isKnown = owner == sender.account || standing == .known
        var entries: [ClaimedKeyPackages.Entry] = []
        for device in try facts.devices(of: owner).prefix(Limits.accountDevices) {
            let address = MailboxAddress(account: owner, device: device)
            let fresh = try facts.stock(of: address).filter { $0.notAfter >= now / 1000 }
            var bytes: [UInt8] = []
            if let chosen = fresh.first(where: { isKnown || $0.isLastResort }) {
                let name = KeyPackageName(address: address, reference: chosen.reference)
                bytes = try facts.keyPackage(name) ?? []
                if !chosen.isLastResort { try facts.remove(chosen, of: address) }
            }
            entries.append(ClaimedKeyPackages.Entry(device: device, keyPackage: bytes))
        }
        return entries
    }
}
