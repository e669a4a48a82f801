/// A step of how `mildam` renews its session with the relay, at which it can be killed (`Tests/Fuse/fuse.c`).
public enum SessionFuse: String, CaseIterable, Sendable {
    case beforeRead = "before-read"
    case afterRead = "after-read"
    case beforeRequest = "before-request"
    case afterRequest = "after-request"
    case afterAnswer = "after-answer"
    case beforeWrite = "before-write"
    case afterWrite = "after-write"
    case beforeKeyWrite = "before-key-write"
    case afterKeyWrite = "after-key-write"
    case beforeCommit = "before-commit"
    case beforeLog = "before-log"
    case beforeSync = "before-sync"
    case afterSync = "after-sync"
    case afterCommit = "after-commit"

    /// What a program is started with that is to be killed there. One that does not come to the step ends by itself.
    public func environment() throws -> [String: String] {
        let library = try CompiledC.product("fuse.so", of: "Tests/Fuse/fuse.c", ["-shared", "-fPIC"])
        return ["LD_PRELOAD": library, "MILDAM_FUSE": rawValue]
    }
}
