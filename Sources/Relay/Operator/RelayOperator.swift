import MildamRelayAPI
import MildamStorage
import MildamSystem

/// What whoever runs a relay does to its accounts, by the data folder alone: a relay that runs on it is asked, so that what
/// ends reaches open sockets at once; otherwise the folder is taken for as long as it lasts.
public struct RelayOperator: Sendable {
    private let folder: DataFolder
    private let clock: WallClock

    /// Names the data folder.
    public init(dataFolder: String, clock: WallClock = .system) {
        folder = DataFolder(path: dataFolder)
        self.clock = clock
    }

    /// Does it.
    ///
    /// - Throws: `RelayError`: `noData` where no relay has been; `alreadyRunning` when a relay runs that cannot be asked;
    ///   `system` also where another user of the machine could have made the folder.
    public func perform(_ request: OperatorRequest) throws(RelayError) -> OperatorAnswer {
        try folder.check()
        guard try folder.has(folder.database) else { throw .noData(folder: folder.path) }
        if let connection = try? UnixConnection.connect(to: folder.control) { return try ask(connection, request) }
        let lock = try folder.take()
        defer { withExtendedLifetime(lock) {} }
        return try performAlone(request)
    }

    private func ask(_ connection: UnixConnection, _ request: OperatorRequest) throws(RelayError) -> OperatorAnswer {
        do throws(SystemError) {
            try OperatorFrame.send(request, on: connection)
            // The relay may have much to do before.
            return try OperatorFrame.receive(OperatorAnswer.self, on: connection, within: .seconds(60))
        } catch {
            throw .system(error)
        }
    }

    private func performAlone(_ request: OperatorRequest) throws(RelayError) -> OperatorAnswer {
        guard try folder.has(folder.secrets) else { throw .secretsMissing(folder.secrets) }
        let secrets = try RelaySecrets.load(folder.secrets, at: clock.seconds)
        let result: Result<OperatorAnswer, APIError>
        do throws(StorageError) {
            let store = SQLiteStore(path: folder.database)
            // Brings the tables up to date, too.
            let transactor = try Transactor(SQLiteLane(path: store.path, options: store.options))
            switch OperatorService(secrets: secrets).task(request) {
            case .read(let body):
                result = try body(store.openReads())
            case .write(let operation):
                try transactor.begin(at: clock.milliseconds)
                result = try transactor.perform(operation)
                _ = try transactor.commit()
                try transactor.lane.removeDeleted(patience: nil)
            }
        } catch {
            throw .storage(error)
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let error): return .refused(error)
        }
    }
}
