/// For an item of a file that is imported: how its secret is joined with that of the item which it replaces. `nil` where the
/// file's takes its place.
public typealias JoiningRule = (_ item: NewItem) -> ((_ kept: SecretValue) -> SecretValue)?

extension Keychain {
    /// Adds what a foreign file says: see ``ImportedLogin`` for what becomes of each row.
    ///
    /// - Parameters:
    ///   - mode: whether it is done, or only tried.
    ///   - duplicates: what to do with what is there already.
    ///   - oneTimeCode: the item for a secret of one-time codes; `nil` for none. Unless given, the text that the file has,
    ///     as ``ImportedLogin/oneTimeCodeItem(_:)``.
    ///   - preparing: may change each item before it is added: its access group, say.
    ///   - joining: what is not to go back when an item is replaced: the counter of one-time codes, say.
    /// - Returns: what became of each row. A keychain that is locked, or cannot be written, ends the import, and the
    ///   report says so: what was added before that stays.
    public func importLogins(
        _ file: ImportedLogins,
        mode: ImportMode = .real,
        duplicates: DuplicateRule = .skip,
        oneTimeCode: (ImportedLogin, SecretValue) -> NewItem? = { $0.oneTimeCodeItem($1) },
        preparing: @escaping (inout NewItem) -> Void = { _ in },
        joining: @escaping JoiningRule = { _ in nil }
    ) -> ImportReport {
        var session = ImportSession(self, mode, duplicates, preparing, joining)
        session.leaveOut(file.leftOut)
        for row in file.rows where session.goesOn {
            switch row {
            case .refused(let position, let name, let reason): session.refuse(position, name, "row", reason)
            case .login(let login):
                for part in login.parts(oneTimeCode: oneTimeCode) {
                    session.take(part.item, position: login.position, name: login.name, part: part.name)
                }
            }
        }
        return session.report
    }
}
