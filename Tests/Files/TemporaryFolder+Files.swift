import Foundation
import MildamSystem
import TestSupport

extension TemporaryFolder {
    /// Writes a file, and gives back its path.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try WholeFile.write(bytes.span, to: file(name))
        return file(name)
    }

    /// What is in the folder, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
