/// Why there is no such profile.
public enum ProfileError: Error, Equatable, Sendable {
    /// A profile cannot have this name.
    case invalidName(String)
    /// Nothing says where profiles lie.
    case noHome
}

extension ProfileError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .invalidName(let name):
            "a profile cannot be called \"\(name)\"; choose 1 to 64 letters, digits, '-' and '_'"
        case .noHome: "nothing says where profiles lie; set HOME or MILDAM_HOME"
        }
    }
}
