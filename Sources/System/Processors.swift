import Glibc

/// The processors that this process may use.
public enum Processors {
    /// How many there are, 1 or more.
    public static var count: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
