import MildamTransport

extension IncomingAnswer {
    /// The server's clock when it answered, in milliseconds since 1970, whole seconds; `nil` when it did not tell.
    var date: Int64? { only("date").flatMap { HTTPDate.seconds($0) }.map { $0 * 1000 } }
}
