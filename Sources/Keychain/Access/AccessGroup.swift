/// Access groups with a meaning of their own.
public enum AccessGroup {
    /// Where the owner's own tool keeps what it adds without naming a group: the same one wherever the tool lies.
    public static let owners = "mildam"

    /// Whether a group, such as `mildam.profile`, is of a part of that tool: what is in it is changed only by who names it.
    static func isOfAPart(_ group: String) -> Bool { group.hasPrefix(owners + ".") }
}
