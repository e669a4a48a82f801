import FoundationEssentials
import Glibc

/// The name of a plugin, from which follow the recipients and identities that are its own, and the name of its program
/// (C2SP age-plugin, "Mapping recipients and identities to plugin binaries").
///
/// That text lets a name be any printable characters. Here it is letters, digits, and `+-._`, as in every other client
/// since one was made to run programs of the sender's choosing: a name with a slash would be a path.
struct AgePluginName: Sendable, Equatable, CustomStringConvertible {
    private static let recipientPrefix = "age1"
    static let identityPrefix = "AGE-PLUGIN-"

    /// In lower case.
    let description: String

    private init?(_ text: some StringProtocol) {
        let name = text.lowercased()
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isAllowed) else { return nil }
        description = name
    }

    /// The plugin that a recipient's prefix names: "age1" and the name, lower case.
    init?(recipientPrefix prefix: String) {
        guard prefix.hasPrefix(Self.recipientPrefix), prefix == prefix.lowercased() else { return nil }
        self.init(prefix.dropFirst(Self.recipientPrefix.count))
    }

    /// The plugin that an identity's prefix names: "AGE-PLUGIN-", the name and "-", upper case.
    init?(identityPrefix prefix: String) {
        guard prefix.hasPrefix(Self.identityPrefix), prefix.hasSuffix("-"), prefix == prefix.uppercased() else {
            return nil
        }
        self.init(prefix.dropFirst(Self.identityPrefix.count).dropLast())
    }

    /// Where the plugin's program is: the first of its name in an absolute folder of `PATH` that can be run.
    func program(path: String) -> String? {
        for folder in path.split(separator: ":") where folder.hasPrefix("/") {
            let program = "\(folder)/age-plugin-\(description)"
            var status = stat()
            if unsafe stat(program, &status) == 0, status.st_mode & S_IFMT == S_IFREG, unsafe access(program, X_OK) == 0
            {
                return program
            }
        }
        return nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
