import MildamIdentity

/// The GroupInfos of a group's present epoch.
struct GroupInfosFact: Equatable, Sendable {
    /// In the order in which they came: the committer's is the first.
    var given: [GivenInfo] = []
    /// Whether members have said which key is their own.
    var hasAnswers = false

    /// The one of an epoch that begins.
    init(_ first: GroupChanges.Info) { given = [GivenInfo(first)] }

    /// What a store found.
    init(given: [GivenInfo] = [], hasAnswers: Bool = false) {
        self.given = given
        self.hasAnswers = hasAnswers
    }
}

/// A GroupInfo that the relay keeps, without its bytes.
struct GivenInfo: Equatable, Sendable {
    /// Who gave it.
    let account: AccountID
    /// SHA-256 of its key for joining from outside, 32 bytes.
    let externalPub: [UInt8]
    /// Its size.
    let bytes: Int

    init(account: AccountID, externalPub: [UInt8], bytes: Int) {
        self.account = account
        self.externalPub = externalPub
        self.bytes = bytes
    }

    init(_ info: GroupChanges.Info) {
        self.init(account: info.account, externalPub: info.externalPub, bytes: info.bytes.count)
    }
}
