import MildamCrypto
import MildamStorage
import MildamSystem

/// Where a profile lies: one folder (0700) with a lock, a root key or a keychain, and what is sealed under them.
public struct ProfilePlace: Hashable, Sendable {
    /// The folder, which is made when the profile is first used.
    public let folder: String
    /// The socket of the keychain's agent.
    public let agentSocket: String
    /// The socket of the profile's client, in the same folder as the agent's.
    public let clientSocket: String
    /// The socket that earlier versions named by the profile's name alone, whatever folder the profile lay in.
    let earlierAgentSocket: String?
    /// The TPM that somebody named (`MILDAM_TPM`).
    let tpm: String?

    /// The profile of a name.
    ///
    /// It is in `MILDAM_HOME`, else in `XDG_DATA_HOME`/mildam, else in `HOME`/.local/share/mildam; its agent's socket in
    /// `XDG_RUNTIME_DIR`/mildam where that is set and `MILDAM_HOME` is not, else in the profile's folder. The socket's name
    /// has 64 bits of the SHA-256 of the folder's canonical path, so that profiles of one name have an agent each.
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
            // A socket's path has room for 107 bytes.
            let start = run + "/mildam/" + String(name.prefix(40))
            let unique = start + "-" + Self.mark(of: folder)
            agentSocket = unique + ".agent"
            clientSocket = unique + ".client"
            earlierAgentSocket = run + "/mildam/" + name + ".agent"
        } else {
            agentSocket = Self.socket(in: folder)
            clientSocket = Self.clientSocket(in: folder)
            earlierAgentSocket = nil
        }
        tpm = variable("MILDAM_TPM")
    }

    /// The profile in a folder, with its agent's socket in there.
    public init(folder: String) {
        self.folder = folder
        agentSocket = Self.socket(in: folder)
        clientSocket = Self.clientSocket(in: folder)
        earlierAgentSocket = nil
        tpm = nil
    }

    /// Every socket at which an agent of the keychain may answer: also one that was started without `XDG_RUNTIME_DIR`, or
    /// is of an earlier version.
    var agentSockets: [String] {
        let own = Self.socket(in: folder)
        return [agentSocket, earlierAgentSocket, own == agentSocket ? nil : own].compactMap(\.self)
    }

    private static func socket(in folder: String) -> String { folder + "/agent/socket" }

    private static func clientSocket(in folder: String) -> String { folder + "/agent/client" }

    /// What tells one folder from another: 16 hexadecimal digits, the same by whatever way the folder is reached.
    private static func mark(of folder: String) -> String {
        SHA256.hash(data: Array(Folder.canonical(folder).utf8)).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
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
