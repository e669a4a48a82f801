import MildamIdentity
import MildamMLS
import MildamRoomRules

/// The accounts that come and go by a commit, ascending. Few are looked at: those with another leaf or seat.
struct AccountMoves: Equatable, Sendable {
    let added: [AccountID]
    let removed: [AccountID]
    private let hasFewerLeaves: Bool

    /// - Parameter leaves: those that the commit has changed.
    init(from before: RoomMembers, to after: RoomMembers, at leaves: [LeafIndex]) {
        let changed = leaves.compactMap { before.leaves[$0] } + leaves.compactMap { after.leaves[$0] }
        var touched = Set(changed.map(\.account))
        if before.room.seats != after.room.seats {
            touched.formUnion(before.room.seats.keys)
            touched.formUnion(after.room.seats.keys)
        }
        added = touched.filter { !before.contains($0) && after.contains($0) }.sorted()
        removed = touched.filter { before.contains($0) && !after.contains($0) }.sorted()
        hasFewerLeaves = after.leaves.count < before.leaves.count
    }

    /// Whether the commit, which gives these leaves to devices, takes leaves out and brings nothing in (H12).
    func isRemoval(adding leaves: some Collection) -> Bool { hasFewerLeaves && leaves.isEmpty && added.isEmpty }
}
