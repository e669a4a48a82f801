import Foundation
import TestSupport

/// A key's public area as the TPM gave it when it made the key, and as `tpm2_print` reads it.
struct PublicArea {
    let text: String
    let attributes: Set<String>

    /// - Parameter answer: to TPM2_Create: a header of ten bytes, the size of what follows, TPM2B_PRIVATE, TPM2B_PUBLIC.
    init(_ answer: [UInt8], told tpm: SoftwareTPM) throws {
        let privateSize = Int(answer[14]) << 8 | Int(answer[15])
        let area = answer.dropFirst(16 + privateSize)
        let size = area.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        try Data(area.prefix(2 + size)).write(to: URL(fileURLWithPath: tpm.file("area")))
        text = try tpm.tool("print", ["-t", "TPM2B_PUBLIC", tpm.file("area")])
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let start = lines.firstIndex(of: "attributes:") ?? 0
        let value = lines.dropFirst(start).first { $0.hasPrefix("value: ") } ?? ""
        attributes = Set(value.dropFirst(7).split(separator: "|").map(String.init))
    }
}
