import Glibc
import MildamSystem

/// Where a file goes: a path, at which nothing new appears before it is whole and synced, or a descriptor.
public final class FileTarget: Sendable {
    /// Where it is to appear; `nil` for a descriptor, and where bytes are out once they are written.
    public let path: String?
    private let replacing: Bool
    private let modified: Int64?
    private let descriptor: Descriptor?

    /// A path. The file is made with permissions 0600.
    ///
    /// - Parameters:
    ///   - replacing: whether to take the place of what is there when the file is whole.
    ///   - modified: when its content was last changed, in seconds since 1970; `nil` for now.
    public init(_ path: String, replacing: Bool = true, modified: Int64? = nil) {
        self.path = path
        self.replacing = replacing
        self.modified = modified
        descriptor = nil
    }

    /// A descriptor, such as a pipe, which stays the caller's.
    ///
    /// - Throws: `SystemError` when there are too many.
    public init(_ descriptor: borrowing Descriptor) throws(SystemError) {
        path = nil
        replacing = false
        modified = nil
        self.descriptor = try descriptor.duplicate()
    }

    /// Writes bytes that are all there.
    ///
    /// - Throws: `SystemError`, with `EEXIST` where something is that is not to be replaced; nothing is left then.
    public func write(_ bytes: Span<UInt8>) throws(SystemError) {
        do throws(AgeError) {
            try write { (output) throws(AgeError) in
                do throws(SystemError) { try output.write(bytes, path: path) } catch { throw .io(error) }
            }
        } catch {
            guard case .io(let error) = error else { preconditionFailure("nothing else can fail") }
            throw error
        }
    }

    /// Runs `body` on what to write to; after it, a file gets its name. When it throws, nothing is left of a file.
    func write<Result, Failure: SystemFailure>(
        _ body: (borrowing Descriptor) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let path else {
            switch descriptor {
            case .some(let descriptor): return try body(descriptor)
            case .none: preconditionFailure("either a path or a descriptor")
            }
        }
        var file = try Failure.reporting { () throws(SystemError) in try NewFile(for: path) }
        let result = try body(file.descriptor)
        do throws(SystemError) {
            // There are file systems that keep no time: the content is worth more.
            if let modified { try? file.setModified(modified) }
            try file.publish(replacing: replacing)
        } catch {
            throw .io(error)
        }
        return result
    }
}
