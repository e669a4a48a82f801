/// How these tests, and the programs that they run, were built.
public enum Build {
    /// Whether as programs are released.
    public static let isOptimised: Bool = {
        #if DEBUG
        false
        #else
        true
        #endif
    }()
}
