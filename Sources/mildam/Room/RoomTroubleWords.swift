import MildamClientAPI
import MildamMessenger

/// What a person is told of what is wrong with a room, and what to do.
enum RoomTroubleWords {
    /// What is wrong.
    static func sentence(for trouble: RoomTrouble) -> String {
        let name = trouble.name ?? "\(trouble.room)"
        guard trouble.code == RoomTrouble.keysAreUsedElsewhere else {
            return "\(name): \(RoomCauseWords.sentence(for: trouble.code, number: trouble.number))"
        }
        return "\(name): Somebody else has acted with this device's keys; whoever has a copy of this profile can."
    }

    /// What the person does about it; `nil` where it mends itself, or cannot be mended.
    static func remedy(for trouble: RoomTrouble) -> String? {
        switch trouble.remedy {
        case "renew-keys": "`mildam account renew-keys` shuts them out"
        case "update-reads-it": "update mildam"
        case "coming-back": "`mildam status` starts what mends it, and says when nothing is troubled any more"
        default: nil
        }
    }
}

extension Finding {
    /// The finding with words for the rooms that something is wrong with.
    var withWords: Finding {
        guard let troubles, !troubles.isEmpty else { return self }
        var finding = self
        finding.found = ([found] + troubles.map { RoomTroubleWords.sentence(for: $0) }).joined(separator: "; ")
        let remedies = troubles.compactMap { RoomTroubleWords.remedy(for: $0) }
        finding.remedy = remedies.first { $0.contains("renew-keys") } ?? remedies.first
        return finding
    }
}
