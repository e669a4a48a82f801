/// A medium without hard links, as FAT is one, for a program that is started (`Tests/Fuse/links.c`).
public enum LinklessMedium {
    /// What a program is started with that is to find one everywhere.
    ///
    /// - Parameter canKeep: whether a file can be renamed there without the danger of replacing another.
    public static func environment(canKeep: Bool = true) throws -> [String: String] {
        let library = try CompiledC.product("links.so", of: "Tests/Fuse/links.c", ["-shared", "-fPIC"])
        return ["LD_PRELOAD": library].merging(canKeep ? [:] : ["MILDAM_REPLACING_ONLY": "1"]) { $1 }
    }
}
