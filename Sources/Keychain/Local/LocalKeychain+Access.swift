import MildamWire

/// Who may use which access groups, and what was done.
extension LocalKeychain {
    /// What is granted.
    public func grants() throws(KeychainError) -> Set<AccessGrant> {
        try core.withLock { (core) throws(KeychainError) in
            try core.read { _ in core.grants }
        }
    }

    /// Lets a program use a group.
    public func grant(_ grant: AccessGrant) throws(KeychainError) {
        try grant.check()
        try core.withLock { (core) throws(KeychainError) in
            guard !core.grants.contains(grant) else { return }
            try core.change { (head) throws(KeychainError) in
                guard let store = core.store else { throw .locked }
                try store.append(.access, grant.wireBytes, &head)
                try core.note(.granted, grant.program, grant.group, &head)
            }
            try core.reloadGrants()
        }
    }

    /// Takes a grant back.
    ///
    /// - Throws: `itemNotFound` when there was none.
    public func revoke(_ grant: AccessGrant) throws(KeychainError) {
        try core.withLock { (core) throws(KeychainError) in
            try core.change { (head) throws(KeychainError) in
                guard let store = core.store else { throw .locked }
                let numbers = try store.records(.access).filter { $0.record == grant.wireBytes }.map(\.number)
                guard !numbers.isEmpty else { throw .itemNotFound }
                for number in numbers { try store.remove(.access, number, &head) }
                try core.note(.revoked, grant.program, grant.group, &head)
            }
            try core.reloadGrants()
        }
    }

    /// The audit log, oldest first.
    ///
    /// - Throws: `damagedItem` for a record that does not open.
    public func auditLog() throws(KeychainError) -> [AuditRecord] {
        try core.withLock { (core) throws(KeychainError) in
            try core.read { (store) throws(KeychainError) in
                try store.records(.audit).map { (number, record) throws(KeychainError) in
                    guard let record, let read = try? AuditRecord(wireBytes: record) else {
                        throw .damagedItem(number: number)
                    }
                    return read
                }
            }
        }
    }
}
