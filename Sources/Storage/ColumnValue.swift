import FoundationEssentials

/// A value that a statement's parameter takes.
public protocol ColumnValue {
    /// Gives the value to the parameter `index`, counted from 1.
    func bind(to statement: Statement, at index: Int) throws(StorageError)
}

extension Int64: ColumnValue {
    /// Binds an `INTEGER`.
    @inlinable
    public func bind(to statement: Statement, at index: Int) throws(StorageError) {
        try statement.bind(index, self)
    }
}

extension Int: ColumnValue {
    /// Binds an `INTEGER`.
    @inlinable
    public func bind(to statement: Statement, at index: Int) throws(StorageError) {
        try statement.bind(index, Int64(self))
    }
}

extension String: ColumnValue {
    /// Binds a `TEXT`.
    @inlinable
    public func bind(to statement: Statement, at index: Int) throws(StorageError) {
        try statement.bind(index, self)
    }
}

extension [UInt8]: ColumnValue {
    /// Binds a `BLOB`.
    @inlinable
    public func bind(to statement: Statement, at index: Int) throws(StorageError) {
        try statement.bind(index, span)
    }
}

extension Data: ColumnValue {
    /// Binds a `BLOB`.
    @inlinable
    public func bind(to statement: Statement, at index: Int) throws(StorageError) {
        try statement.bind(index, span)
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    /// Binds the value, or `NULL`.
    @inlinable
    public func bind(to statement: Statement, at index: Int) throws(StorageError) {
        switch self {
        case .some(let value): try value.bind(to: statement, at: index)
        case .none: try statement.bindNull(index)
        }
    }
}
