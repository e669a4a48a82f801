import MildamClientCore

extension RoomRequest {
    /// What a trace calls it.
    var name: String {
        switch self {
        case .page(_, let number): "page after \(number)"
        case .create: "create"
        case .send(_, let message): message.kind.name
        case .group: "group"
        case .claim: "claim"
        case .keyPackages: "key packages"
        case .groupInfo: "GroupInfo"
        case .refill(_, let kept): "refill \(kept.map { "\($0.number)" }.joined(separator: ", "))"
        }
    }
}

extension NumberedMessage.Kind {
    fileprivate var name: String {
        switch self {
        case .application: "send message"
        case .proposal: "send proposal"
        case .commit: "send commit"
        case .generation: "send generation"
        }
    }
}

extension RelayReply {
    /// What a trace calls it.
    var name: String {
        switch self {
        case .page(let page): "page \(page.contents)"
        case .accepted(let number): "accepted \(number)"
        case .done: "done"
        case .staleEpoch(let page): "stale epoch \(page.contents)"
        case .proposalsDue: "proposals due"
        case .refused(let refusal): refusal.code
        case .group: "group"
        case .claimed: "claimed"
        case .refilled(let page): "refilled \(page.contents)"
        case .unreachable: "unreachable"
        }
    }
}

extension ShownEntry {
    /// What a trace calls it.
    var name: String {
        switch kind {
        case .content: "content"
        case .members: "members"
        case .settings: "settings"
        case .cameBack: "came back"
        case .renewed: "renewed"
        case .newKeys: "new keys"
        case .leaving: "leaving"
        case .unreadable(let cause): cause.code
        case .gap(from: _, let cause): cause.code
        }
    }
}

extension ShownEntry.Kind {
    /// What it is counted by; `nil` for what is counted by its cause.
    var counter: String? {
        switch self {
        case .content: "content"
        case .members: "members"
        case .settings: "settings"
        case .cameBack: "came-back"
        case .renewed: "renewed"
        case .newKeys: "new-keys"
        case .leaving: "leaving"
        case .unreadable, .gap: nil
        }
    }
}

extension Notice {
    /// What a trace calls it.
    var name: String {
        switch self {
        case .wishIsDone: "wish is done"
        case .wishFailed(_, let code), .wishWaits(_, let code): code
        case .trouble(let cause), .stopped(let cause, until: _): cause.code
        case .troubleIsOver: "trouble is over"
        case .stateWasPutBack: "state was put back"
        case .keysAreUsedElsewhere: "keys are used elsewhere"
        case .messagesMissing: "messages missing"
        case .historyStatedOtherwise: "history stated otherwise"
        case .relayWentBack: "relay went back"
        case .invited: "invited"
        case .removed: "removed"
        }
    }
}

extension LogPage {
    /// What it brings, how far the log goes, and what is lost of it.
    fileprivate var contents: String {
        let brought = messages.isEmpty ? "nothing" : "\(messages[0].number)...\(messages[messages.count - 1].number)"
        let lost = lost.map { "\($0.lowerBound)...\($0.upperBound)" }.joined(separator: ", ")
        return "\(brought) of \(last) in epoch \(epoch)" + (lost.isEmpty ? "" : ", lost \(lost)")
    }
}
