import MildamRelayAPI

/// Makes invitations to register; those that ran out go.
struct MakeInvitations: StoreOperation {
    let codes: [InvitationCode]
    private let days: Int

    /// - Parameters:
    ///   - count: how many, within ``OperatorRequest/invitations``.
    ///   - days: how long they last, within ``OperatorRequest/invitationDays``.
    init(count: Int, days: Int) {
        codes = (0..<min(max(count, 0), OperatorRequest.invitations.upperBound)).map { _ in .random() }
        self.days = min(max(days, 0), OperatorRequest.invitationDays.upperBound)
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<OperatorAnswer, APIError> {
        let expires = now / 1000 + Int64(days) * 86_400
        facts.dropInvitations(expiredBefore: now / 1000)
        for code in codes { facts.setInvitation(code.digest, expires: expires) }
        return .success(.invitations(codes.map(\.text), expires: expires))
    }
}
