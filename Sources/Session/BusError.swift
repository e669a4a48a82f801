/// Something that a bus did not do: what, and why.
struct BusError: Error, CustomStringConvertible {
    let description: String

    /// "cannot reach the system bus: No such file or directory".
    init(_ operation: String, _ reason: String) {
        description = "cannot \(operation): \(reason)"
    }
}
