/// Another time of day for a program that is started (`Tests/Fuse/clock.c`): what its machine's clock is off by.
public enum ShiftedClock {
    /// What a program is started with whose clock is so many seconds ahead of this machine's, or behind it where they are
    /// negative. The programs that it starts inherit that.
    public static func environment(seconds: Int64) throws -> [String: String] {
        let library = try CompiledC.product("clock.so", of: "Tests/Fuse/clock.c", ["-shared", "-fPIC"])
        return ["LD_PRELOAD": library, "MILDAM_CLOCK": "\(seconds)"]
    }
}
