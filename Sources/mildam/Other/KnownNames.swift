import MildamClientAPI
import MildamKeychain
import MildamMessenger
import MildamProfile
import MildamSystem
import MildamTerminal
import MildamVault

/// Names that this program knows, and a shell may offer. They are looked up without the network, without a question, and
/// without waiting for another program.
enum KnownNames: String, CaseIterable {
    /// Rooms of this profile, and those that it is invited to.
    case room
    /// Handles that it has met, or was told of in its rooms.
    case contact
    /// Numbers and handles of requests that wait.
    case request
    /// Entries and folders of the vault, of one folder at a time.
    case vault
    /// Items of the keychain, while that is unlocked.
    case item

    /// How many are offered at most.
    static let most = 2000

    /// What a shell offers for a value of this kind.
    var completion: Completion { .names(rawValue) }

    /// Whether a name can be offered. Some were chosen by strangers: none may act on a terminal or mean anything to a shell,
    /// however it quotes, or be taken for an option.
    static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 4096 && !name.hasPrefix("-") && TerminalText.sanitized(name) == name
            && !name.unicodeScalars.contains { "'\"`$\\!\n\r\t".unicodeScalars.contains($0) }
    }

    /// All names of the kind.
    ///
    /// - Parameter typed: the beginning of a name. Of a vault, what is in its folder is told.
    /// - Throws: whatever keeps them from being looked up.
    func all(_ action: Action, behind typed: String) async throws -> [String] {
        let place = try action.place()
        let profile = OpenProfile(asOpenNow: place)
        switch self {
        case .room: return try await Self.roomNames(at: place)
        case .contact, .request:
            if self == .request, let link = try ClientProgram.running(at: place) {
                return try await Self.requests(of: link)
            }
            guard WholeFile.exists(place.messages) else { return [] }
            if self == .contact, try ClientProgram.running(at: place) != nil { return try Self.contacts(of: profile) }
            guard try await Self.isFree(place) else { return [] }
            return try await names(Messenger(profile: profile))
        case .vault:
            let folder = action.invocation.value("vault") ?? Console.variable("MILDAM_VAULT") ?? profile.vault
            guard let vault = try Vault.openNow(in: folder, rootKey: profile.rootKey) else { return [] }
            return try Self.names(in: vault, typed)
        case .item:
            return Self.names(of: try ItemChooser(try profile.keychain()).all())
        }
    }

    /// Rooms by the profile's client, if it runs: none is started for that.
    private static func roomNames(at place: ProfilePlace) async throws -> [String] {
        guard let link = try ClientProgram.running(at: place),
            case .rooms(let rows, _) = try await link.ask(.rooms(), within: .milliseconds(500))
        else { return [] }
        return once(rows.compactMap(\.name))
    }

    /// Whom the profile has met, as it lies there: its client keeps it, and is not asked for that.
    private static func contacts(of profile: OpenProfile) throws -> [String] {
        let image = try ProfileImage(of: profile, because: "lent", "its client has it")
        return once(image.handles.map(\.text))
    }

    private func names(_ messenger: Messenger) async throws -> [String] {
        switch self {
        case .contact:
            let own = try await messenger.accountSummary().handle
            return Self.once(try await messenger.contacts().map(\.handle).filter { $0 != own }.map(\.text))
        default:
            let requests = try await messenger.pendingRequests()
            return Self.once(requests.compactMap { $0.claimed?.text } + requests.map { "\($0.number)" })
        }
    }

    /// What a client that runs knows of requests.
    private static func requests(of link: ClientLink) async throws -> [String] {
        guard case .requests(let rows, _) = try await link.ask(.requests(isFetching: false), within: .seconds(1)) else {
            return []
        }
        return once(rows.compactMap { $0.claimed?.text } + rows.map { "\($0.number)" })
    }

    /// What is right in the folder that was typed; folders end with a slash.
    private static func names(in vault: Vault, _ typed: String) throws -> [String] {
        let slash = typed.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = try slash.map { try VaultName(typed[..<$0]) }
        let level = VaultFolder.level(of: try vault.entries(in: folder), in: folder)
        return level.folders.map { "\($0.name)/" } + level.entries.map(\.name.description)
    }

    private static func names(of items: [KeychainItem]) -> [String] {
        let lines = items.filter { !ItemKind($0).isOwn }.map(ItemLine.init)
        return once(lines.flatMap { [$0.service, $0.label ?? ""] })
    }

    /// The same without those that are there twice.
    private static func once(_ names: [String]) -> [String] {
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }

    /// Whether no other program works with the profile, or it ends within 200 milliseconds.
    private static func isFree(_ place: ProfilePlace) async throws -> Bool {
        for _ in 0..<10 {
            if try isFreeNow(place) { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    private static func isFreeNow(_ place: ProfilePlace) throws -> Bool {
        guard let lock = try place.takeLock() else { return false }
        _ = consume lock
        return true
    }
}
