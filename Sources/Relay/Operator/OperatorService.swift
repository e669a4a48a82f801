import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// Does what whoever runs the relay asks, on one store: the same whether a relay runs on it or not.
struct OperatorService: Sendable {
    typealias Reading = @Sendable (any RelayReads) throws(StorageError) -> Result<OperatorAnswer, APIError>

    /// What is to be done.
    enum Task {
        case read(Reading)
        case write(any StoreOperation<OperatorAnswer>)
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
            .write(OperatorLogOut(handle: handle, session: session))
        case .resetSecondFactor(let handle):
            .write(OperatorResetFactor(handle: handle))
        case .remove(let handle):
            .write(OperatorRemove(handle: handle, tombstone: secrets.tombstone))
        case .invite(let count, let days):
            .write(MakeInvitations(count: count, days: days))
        }
    }
}
