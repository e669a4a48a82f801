/// What one worker of an ``OrderedFlow`` does with each piece that it takes. It is used by one thread at a time.
package protocol FlowWorker: AnyObject, SendableMetatype {
    associatedtype Failure: Error

    /// Takes the stream's next piece, while no other worker does.
    ///
    /// - Parameter number: the piece's, counted from 0.
    /// - Returns: whether there was one.
    func take(_ number: Int) throws(Failure) -> Bool

    /// Works on the piece, beside the other workers. What goes wrong is kept until the piece is handed on.
    func work()

    /// Hands the piece on once those before it were, while no other worker does.
    func handOn() throws(Failure)
}
