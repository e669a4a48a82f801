import MildamIdentity

/// What a commit's evidence says about one account, before anything of it is believed: the first piece of each kind.
struct ClaimedEvidence {
    private(set) var list: Signed<DeviceList>?
    /// Of a chain of identities, the records of this account.
    private(set) var records: [Signed<AccountRecord>] = []
    private(set) var closing: Signed<AccountClosing>?
    private(set) var leaving: Signed<Leaving>?
    /// The device that is shown with that.
    private(set) var device: DeviceCredential?

    init(_ evidence: [Evidence], about account: AccountID) {
        for piece in evidence {
            switch piece {
            case .deviceList(let signed): if list == nil, signed.claimed.account == account { list = signed }
            case .succession(let chain):
                if records.isEmpty { records = chain.filter { $0.claimed.account == account } }
            case .closing(let signed): if closing == nil, signed.claimed.account == account { closing = signed }
            case .leaving(let signed, let shown):
                guard leaving == nil, signed.claimed.account == account else { continue }
                leaving = signed
                device = shown
            case .repair: break
            }
        }
    }
}
