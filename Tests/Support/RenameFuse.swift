/// Kills a program when a file that it has written would take the place of another (`Tests/Fuse/rename.c`).
public enum RenameFuse {
    /// What a program is started with that is to be killed there.
    ///
    /// - Parameter beginning: what the name begins with that such a file has until then.
    public static func environment(beginning: String) throws -> [String: String] {
        let library = try CompiledC.product("rename.so", of: "Tests/Fuse/rename.c", ["-shared", "-fPIC"])
        return ["LD_PRELOAD": library, "MILDAM_FUSE": beginning]
    }
}
