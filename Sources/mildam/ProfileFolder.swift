import MildamSystem
import MildamTerminal

extension Action {
    /// The folder of the profile that is asked for.
    func profileFolder() throws -> String {
        let name = invocation.value("profile") ?? Console.variable("MILDAM_PROFILE") ?? "default"
        let isPlain = name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            throw UsageError(
                .invalidValue(name: "--profile", expected: "1 to 64 letters, digits, '-' and '_'"),
                command: table.program
            )
        }
        if let home = Console.variable("MILDAM_HOME") { return home + "/" + name }
        if let data = Console.variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/mildam/" + name }
        guard let home = Console.variable("HOME") else {
            throw SystemError("find the home folder: set HOME or MILDAM_HOME", code: 2)
        }
        return home + "/.local/share/mildam/" + name
    }
}
