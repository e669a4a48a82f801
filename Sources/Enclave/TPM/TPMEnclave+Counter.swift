import MildamCrypto

extension TPMEnclave {
    /// Makes a counter, with an authorization of 32 random bytes that only the caller has, and raises it once.
    ///
    /// - Parameter index: one of `MonotonicCounter.indices`.
    /// - Throws: `EnclaveError.indexTaken`; `.unsupported` where the TPM has no room for one more.
    public func defineCounter(at index: UInt32) throws(EnclaveError) -> MonotonicCounter {
        guard MonotonicCounter.indices.contains(index) else {
            throw .unsupported("a counter at index \(index), which is not the owner's")
        }
        let authorization = SymmetricKey(size: .bits256)
        let name = try perform { connection throws(EnclaveError) in
            let name = try loadStorageKey(connection)
            try asking(connection, about: index) { () throws(ResponseCode) in
                try connection.defineCounter(at: index, authorization: authorization)
            }
            return name
        }
        let counter = MonotonicCounter(index: index, storageKeyName: name, authorization: authorization)
        // Until then it has no value.
        _ = try increment(counter)
        return counter
    }

    /// The counter's value.
    ///
    /// - Throws: `EnclaveError.noCounter`, `.wrongCounterAuthorization` when another one is there now.
    public func value(of counter: MonotonicCounter) throws(EnclaveError) -> UInt64 {
        try use(counter) { connection throws(ResponseCode) in
            try connection.counter(at: counter.index, authorization: counter.authorization)
        }
    }

    /// Raises the counter by one; it is written when this returns.
    ///
    /// - Returns: its value then.
    /// - Throws: as `value(of:)`.
    public func increment(_ counter: MonotonicCounter) throws(EnclaveError) -> UInt64 {
        try use(counter) { connection throws(ResponseCode) in
            try connection.incrementCounter(at: counter.index, authorization: counter.authorization)
        }
        return try value(of: counter)
    }

    /// Removes what is at an index of the owner's. It takes no authorization but the owner's, who has no password here.
    ///
    /// - Throws: `EnclaveError.noCounter`.
    public func undefineCounter(at index: UInt32) throws(EnclaveError) {
        guard MonotonicCounter.indices.contains(index) else { throw .noCounter(index) }
        try perform { connection throws(EnclaveError) in
            _ = try loadStorageKey(connection)
            try asking(connection, about: index) { () throws(ResponseCode) in
                try connection.undefineCounter(at: index)
            }
        }
    }

    private func use<Result>(
        _ counter: MonotonicCounter,
        _ body: (TPMConnection) throws(ResponseCode) -> Result
    ) throws(EnclaveError) -> Result {
        try perform { connection throws(EnclaveError) in
            let name = try loadStorageKey(connection, isComparedLater: true)
            guard name == counter.storageKeyName else { throw .otherTPM }
            return try asking(connection, about: counter.index) { () throws(ResponseCode) in try body(connection) }
        }
    }

    /// As `asking(_:_:)`, of what is at an index.
    private func asking<Result>(
        _ connection: TPMConnection,
        about index: UInt32,
        _ body: () throws(ResponseCode) -> Result
    ) throws(EnclaveError) -> Result {
        try asking(connection) { () throws(ResponseCode) -> Swift.Result<Result, EnclaveError> in
            do throws(ResponseCode) {
                return .success(try body())
            } catch {
                switch error.meaning {
                case .nothingThere: return .failure(.noCounter(index))
                case .indexTaken: return .failure(.indexTaken(index))
                case .wrongAuthorization: return .failure(.wrongCounterAuthorization)
                default: throw error
                }
            }
        }.get()
    }
}
