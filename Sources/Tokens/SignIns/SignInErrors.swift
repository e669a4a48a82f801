/// No sign-in has this name.
public struct NoSignIn: Error, CustomStringConvertible {
    let name: String

    /// What happened, and what to do.
    public var description: String {
        "there is no sign-in \(name); see `mildam token list`, or make it: `mildam token login \(name) --issuer URL --client-id ID`"
    }
}

/// What is kept of a sign-in is none.
public struct DamagedSignIn: Error, CustomStringConvertible {
    /// The sign-in.
    public let name: String

    /// The sign-in of a name.
    public init(name: String) { self.name = name }

    /// What happened, and what to do.
    public var description: String {
        "what is kept of the sign-in \(name) is damaged, or a later version's; set it up again: `mildam token login \(name)`"
    }
}
