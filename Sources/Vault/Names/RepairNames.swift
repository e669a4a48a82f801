/// What the copy of the names says to a repair.
struct RepairNames {
    let state: NamesState
    /// Whether it was written by who knew the vault's identity.
    let isProven: Bool
    /// How many files say it.
    let fileCount: Int

    /// Whether it is believed of a content. What nobody has proven is believed of those alone that none of the vault's own
    /// keys opens: of the others, who has a recipient's public key could say anything.
    func isBelieved(of content: VaultEntry) -> Bool {
        isProven || content.generation == VaultKeys.noGeneration
    }
}
