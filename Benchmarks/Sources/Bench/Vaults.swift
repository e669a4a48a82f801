import CSealPeer
import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import MildamVault

/// A vault of many small files, beside a loop in C that writes as many with as many syncs; and one of 100,000 entries.
enum Vaults {
    private static let count = 10_000
    private static let size = 4096
    private static let batch = 1024

    /// - Parameters:
    ///   - disk: a folder on a disk.
    ///   - memory: a folder in memory, for what is read.
    static func figures(in disk: String, _ memory: String) async throws -> [Figure] {
        let sources = try makeSources(100_000, in: memory + "/sources")
        var number = 0
        let medians = try await alternating(
            3,
            [
                {
                    number += 1
                    let folder = "\(disk)/vault-\(number)"
                    let vault = try Vault.make(in: folder, rootKey: RootKeyFile(path: folder + ".key"))
                    let start = nanoseconds()
                    try vault.add(Array(sources.prefix(count)))
                    return Double(count) * 1_000_000_000 / Double(nanoseconds() - start)
                },
                {
                    let folder = "\(disk)/plain-\(number)"
                    try Folder.create(folder)
                    let start = nanoseconds()
                    guard seal_peer_small_files(folder, Int32(count), size, Int32(batch)) == 0 else {
                        throw SystemError.last("write", folder)
                    }
                    return Double(count) * 1_000_000_000 / Double(nanoseconds() - start)
                },
            ]
        )
        let folder = memory + "/large"
        let vault = try Vault.make(in: folder, rootKey: RootKeyFile(path: folder + ".key"))
        try vault.add(sources)
        let listing = try cost { _ = try vault.entries() }
        let searching = try cost { _ = try vault.search(["octet", "99"]) }
        return [
            Figure(
                what: "vault, 10,000 files of 4 KiB added",
                value: medians[0],
                unit: .perSecond,
                peer: ("C, one syncfs for 1,024", medians[1]),
                goal: .ratio(atLeast: 0.5)
            ),
            Figure(
                what: "vault, 100,000 entries listed",
                value: listing,
                unit: .milliseconds,
                goal: .value(atMost: 300_000_000)
            ),
            Figure(
                what: "vault, 100,000 entries searched",
                value: searching,
                unit: .milliseconds,
                goal: .value(atMost: 300_000_000)
            ),
        ]
    }

    private static func makeSources(_ count: Int, in folder: String) throws -> [VaultSource] {
        try Folder.create(folder)
        return try (0..<count).map { number in
            let path = "\(folder)/\(number)"
            var content = [UInt8](repeating: 0xFE, count: size)
            content.replaceSubrange(0..<8, with: withUnsafeBytes(of: number) { unsafe Array($0) })
            let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
            try file.write(content.span)
            return VaultSource(path: path, name: try VaultName("folder-\(number % 100)/file-\(number)"))
        }
    }
}
