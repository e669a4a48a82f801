/// A limit on the size of files, for a shell that then becomes the program under test.
public enum FileLimit {
    /// The shell's commands, to be followed by others.
    ///
    /// The program gets no folder for temporary files: the thread sanitizer would write one that is larger than the
    /// limit before the program begins, and die of it. Nobody can make a folder in /proc.
    public static func commands(blocks: Int) -> String {
        "export TMPDIR=/proc/nowhere; ulimit -f \(blocks)"
    }
}
