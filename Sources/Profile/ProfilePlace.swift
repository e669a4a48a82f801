import MildamStorage
import MildamSystem

/// Where a profile lies: one folder (0700) with a lock, a root key or a keychain, and what is sealed under them.
public struct ProfilePlace: Hashable, Sendable {
    /// The folder, which is made when the profile is first used.
    public let folder: String
    /// The socket of the keychain's agent.
    public let agentSocket: String
    /// The TPM that somebody named (`MILDAM_TPM`).
    let tpm: String?

    /// The profile of a name.
    ///
    /// It is in `MILDAM_HOME`, else in `XDG_DATA_HOME`/mildam, else in `HOME`/.local/share/mildam; its agent's socket in
    /// `XDG_RUNTIME_DIR`/mildam where that is set and `MILDAM_HOME` is not, else in the profile's folder.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, '-' and '_'; unless given, `MILDAM_PROFILE`, else "default".
    ///   - environment: the variables; an empty one counts as missing.
    /// - Throws: `invalidName`; `noHome`.
    public init(name: String? = nil, environment: [String: String]) throws(ProfileError) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let name = name ?? variable("MILDAM_PROFILE") ?? "default"
        guard Self.isName(name) else { throw .invalidName(name) }
        let home = variable("MILDAM_HOME")
        if let home {
            folder = home + "/" + name
        } else if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") {
            folder = data + "/mildam/" + name
        } else {
            guard let user = variable("HOME") else { throw .noHome }
            folder = user + "/.local/share/mildam/" + name
        }
        if home == nil, let run = variable("XDG_RUNTIME_DIR"), run.hasPrefix("/") {
            agentSocket = run + "/mildam/" + name + ".agent"
        } else {
            agentSocket = folder + "/agent/socket"
        }
        tpm = variable("MILDAM_TPM")
    }

    /// The profile in a folder, with its agent's socket in there.
    public init(folder: String) {
        self.folder = folder
        agentSocket = folder + "/agent/socket"
        tpm = nil
    }

    /// The database of a client: account, rooms, history.
    public var messages: String { folder + "/messenger.db" }

    /// The vault, unless it lies elsewhere; its keys are sealed under the root key, too.
    public var vault: String { folder + "/vault" }

    /// The keychain.
    public var keychain: ProfileKeychain { ProfileKeychain(place: self) }

    /// Whether something is sealed under the root key, so that none must be made.
    var hasSealedContent: Bool {
        get throws(StorageError) {
            if try WholeFile.isThere(stored: messages) { return true }
            return try WholeFile.isThere(stored: vault + "/vault.keys")
        }
    }

    /// What the folder is called: the profile's name.
    public var name: String { String(folder.split(separator: "/").last ?? "") }

    /// The profiles in the same home that a client has used, by their names, in order.
    public var usedNeighbours: [String] {
        let home = Folder.parent(of: folder)
        return Folder.names(in: home).filter {
            $0 != name && Self.isName($0) && WholeFile.exists("\(home)/\($0)/messenger.db")
        }.sorted()
    }

    private static func isName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isPlain && (1...64).contains(name.utf8.count)
    }
}
