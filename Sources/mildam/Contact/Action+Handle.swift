import MildamIdentity

extension Action {
    /// The handle that the command names.
    func handle() throws -> Handle {
        do { return try Handle(invocation.operand("HANDLE")) } catch {
            throw wrong("HANDLE", "3 to 32 of a-z, 0-9, '_', '.', '-'")
        }
    }
}
