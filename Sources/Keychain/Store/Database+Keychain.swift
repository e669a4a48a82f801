import MildamStorage

extension Database {
    /// Runs `body` in a transaction, which is undone when it throws.
    func changing<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try mapping { () throws(StorageError) in
            try transactionUnlessRefused { () throws(StorageError) in
                Result { () throws(KeychainError) -> Value in try body() }
            }
        }.get()
    }

    /// Runs `body` on one state of the file.
    func reading<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try mapping { () throws(StorageError) in
            try snapshot { () throws(StorageError) in Result { () throws(KeychainError) -> Value in try body() } }
        }.get()
    }
}

/// Runs what may fail for the storage's sake.
func mapping<Value>(_ body: () throws(StorageError) -> Value) throws(KeychainError) -> Value {
    do throws(StorageError) { return try body() } catch { throw .storage(error) }
}
