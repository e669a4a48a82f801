import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// Does what whoever runs the relay asks, on one store: the same whether a relay runs on it or not.
struct OperatorService: Sendable {
    typealias Reading = @Sendable (RelayReader) throws(StorageError) -> Result<OperatorAnswer, APIError>
    typealias Writing = @Sendable (RelayWriter) throws(StorageError) -> Result<OperatorAnswer, APIError>

    /// What is to be done.
    enum Task {
        case read(Reading)
        case write(Writing)
    }

    let secrets: RelaySecrets

    /// What a request asks for.
    func task(_ request: OperatorRequest) -> Task {
        switch request {
        case .list(let start):
            .read { reader throws(StorageError) in .success(.accounts(try reader.accounts(after: start))) }
        case .show(let handle):
            .read { reader throws(StorageError) in
                guard let details = try reader.details(of: handle) else { return .failure(.noSuchAccount) }
                return .success(.account(details))
            }
        case .logOut(let handle, let session):
            .write { writer throws(StorageError) in try writer.logOut(handle, session) }
        case .resetSecondFactor(let handle):
            .write { writer throws(StorageError) in try writer.resetSecondFactor(of: handle) }
        case .remove(let handle):
            .write { [secrets] writer throws(StorageError) in
                try writer.remove(handle) { secrets.tombstone(of: $0) }
            }
        }
    }
}

extension RelayWriter {
    fileprivate func logOut(
        _ handle: Handle,
        _ session: SessionID?
    ) throws(StorageError) -> Result<OperatorAnswer, APIError> {
        guard let account = try database.account(of: handle) else { return .failure(.noSuchAccount) }
        let ended = try sessions(of: account).filter { session == nil || $0.session == session }
        guard session == nil || !ended.isEmpty else {
            return .failure(APIError(.unknownSession, "the account has no such session"))
        }
        try end(ended, of: account, as: .operatorEndedSession)
        return .success(.done(count: ended.count))
    }

    fileprivate func resetSecondFactor(of handle: Handle) throws(StorageError) -> Result<OperatorAnswer, APIError> {
        guard let account = try database.account(of: handle) else { return .failure(.noSuchAccount) }
        guard try dropFactor(of: account) else { return .success(.done(count: 0)) }
        try note(.operatorRemovedSecondFactor, of: account)
        return .success(.done(count: 1))
    }

    fileprivate func remove(
        _ handle: Handle,
        tombstone: (Handle) -> String
    ) throws(StorageError) -> Result<OperatorAnswer, APIError> {
        guard let account = try database.account(of: handle) else { return .failure(.noSuchAccount) }
        try delete(account: account, tombstone: tombstone)
        return .success(.done(count: 1))
    }
}

extension APIError {
    fileprivate static let noSuchAccount = APIError(.unknownAccount, "there is no such account")
}
