/// On whose behalf the keychain is used.
struct Caller: Sendable {
    /// The program.
    let program: ProgramIdentity
    /// Whether it may use every group, and manage the keychain: its owner's own tool.
    let isOwner: Bool

    /// Which groups a program may use.
    func scope(_ grants: Set<AccessGrant>) -> AccessScope {
        if isOwner { return .everything(default: AccessGroup.owners) }
        var groups: Set = [program.ownGroup]
        for grant in grants where grant.program == program { groups.insert(grant.group) }
        return .groups(groups, default: program.ownGroup)
    }
}

/// Which access groups somebody may use.
enum AccessScope: Sendable {
    case everything(default: String)
    case groups(Set<String>, default: String)

    var defaultGroup: String {
        switch self {
        case .everything(let group), .groups(_, let group): group
        }
    }

    func contains(_ group: String) -> Bool {
        switch self {
        case .everything: true
        case .groups(let groups, _): groups.contains(group)
        }
    }

    /// The groups one by one; `nil` when there is no end of them.
    var all: Set<String>? {
        switch self {
        case .everything: nil
        case .groups(let groups, _): groups
        }
    }
}
