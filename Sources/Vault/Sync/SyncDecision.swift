/// What becomes of one name when a folder and a vault are brought in step. It is decided by the contents alone: in the
/// folder, in the vault, and in both when they were last in step.
enum SyncDecision: Equatable {
    /// Both have the same.
    case same
    /// Neither has it any more.
    case gone
    /// It is the folder's content that counts: new there, or changed there alone.
    case toVault
    /// It is the vault's content that counts: new there, or changed there alone.
    case toFolder
    /// The folder has it no more, and the vault has it as it was.
    case removeFromVault
    /// The vault has it no more, and the folder has it as it was.
    case removeFromFolder
    /// Both have changed it, or had it before they were ever in step.
    case conflict

    /// - Parameters:
    ///   - folder: the digest of the folder's file; `nil` where it has none.
    ///   - vault: that of the vault's.
    ///   - known: that of both when they were last in step; `nil` where they never were. Nothing is removed then, nor
    ///     replaced.
    init(folder: [UInt8]?, vault: [UInt8]?, known: [UInt8]?) {
        switch (folder, vault) {
        case (nil, nil): self = .gone
        case (let folder?, nil): self = folder == known ? .removeFromFolder : .toVault
        case (nil, let vault?): self = vault == known ? .removeFromVault : .toFolder
        case (let folder?, let vault?):
            if folder == vault {
                self = .same
            } else if folder == known {
                self = .toFolder
            } else if vault == known {
                self = .toVault
            } else {
                self = .conflict
            }
        }
    }
}

extension VaultName {
    /// What the vault's content of this name is called when the folder has another: "notes (vault 2026-11-21).txt".
    ///
    /// - Parameters:
    ///   - day: "2026-11-21".
    ///   - isTaken: whether something has a name already, on either side.
    /// - Throws: `invalidName` where the name is too long for it.
    func asideOnConflict(day: String, unless isTaken: (VaultName) -> Bool) throws(VaultError) -> VaultName {
        let last = lastPart
        let above = description[..<last.startIndex]
        let dot = last.lastIndex(of: ".").flatMap { $0 > last.startIndex ? $0 : nil } ?? last.endIndex
        // What is that long is no extension.
        let cut = last[dot...].utf8.count > 20 ? last.endIndex : dot
        var stem = last[..<cut]
        var number = 1
        while true {
            let mark = number == 1 ? "vault \(day)" : "vault \(day) \(number)"
            let end = " (\(mark))\(last[cut...])"
            while stem.utf8.count + end.utf8.count > Self.maximumPartSize { stem.removeLast() }
            let name = try VaultName("\(above)\(stem)\(end)")
            if !isTaken(name) { return name }
            number += 1
        }
    }
}
