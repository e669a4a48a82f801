import MildamIdentity
import MildamRelayAPI

@testable import MildamRelay

/// The model's rows of who may reach whom.
struct ModelConsent: Sendable {
    var standings: [StandingName: ConsentChanges.StandingRow] = [:]
    var links: [AccountID: [LinkID: Int64]] = [:]
    var shares: [ShareKey: SenderShare] = [:]
    var invitations: [[UInt8]: Int64] = [:]

    func load(_ key: FactKey, into facts: inout Facts) {
        switch key {
        case .standing(let subject):
            let found = standings.first { $0.key.owner == subject.owner && $0.value.sender == subject.sender }
            facts.consent.standings.learn(
                found.map { StandingFact(id: $0.key.id, standing: $0.value.standing) },
                of: subject
            )
        case .standingName(let name): facts.consent.standingNames.learn(standings[name]?.sender, of: name)
        case .standingCount(let owner):
            facts.consent.standingCounts.learn(standings.keys.count { $0.owner == owner }, of: owner)
        case .links(let owner): facts.consent.links.learn(links[owner] ?? [:], of: owner)
        case .share(let key): facts.consent.shares.learn(shares[key], of: key)
        case .invitation(let digest): facts.consent.invitations.learn(invitations[digest], of: digest)
        default: break
        }
    }

    mutating func apply(_ changes: ConsentChanges) {
        for account in changes.dropped {
            standings = standings.filter { $0.key.owner != account }
            links[account] = nil
        }
        for (name, row) in changes.standings { standings[name] = row }
        for (name, expires) in changes.links {
            links[name.owner, default: [:]][name.link] = expires
            if links[name.owner]?.isEmpty == true { links[name.owner] = nil }
        }
        for (key, share) in changes.shares { shares[key] = share }
        if let time = changes.invitationsUntil { invitations = invitations.filter { $0.value >= time } }
        for (digest, expires) in changes.invitations { invitations[digest] = expires }
    }
}
