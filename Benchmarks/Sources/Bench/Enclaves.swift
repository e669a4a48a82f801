import Glibc
import MildamCrypto
import MildamEnclave
import MildamSystem

/// Keys in a TPM: in swtpm, as no two chips are alike.
enum Enclaves {
    private static let turns = 300

    /// - Parameter memory: a folder in memory, for the TPM's state.
    static func figures(in memory: String) async throws -> [Figure] {
        let folder = memory + "/tpm"
        let socket = folder + "/s"
        try Folder.create(folder)
        let tpm = try Child([
            "swtpm", "socket", "--tpm2", "--tpmstate", "dir=" + folder, "--server", "type=unixio,path=" + socket,
            "--ctrl", "type=unixio,path=" + socket + ".ctrl", "--flags", "not-need-init,startup-clear",
        ])
        defer { tpm.stop() }
        for _ in 0..<1000 where !WholeFile.exists(socket + ".ctrl") { usleep(5_000) }

        let enclave = TPMEnclave(try TPMAddress("swtpm:path=" + socket))
        let pin = try EnclavePIN(SecretBytes(copying: Array("1234".utf8)))
        let open = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        let locked = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let signing = try await enclave.makeKey(.signing, options: EnclaveKeyOptions())
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        let digest = SHA256.hash(data: Array("a message".utf8))
        let agreements = try await times { _ = try await enclave.sharedSecret(with: peer, key: open, pin: nil) }
        let withPIN = try await times { _ = try await enclave.sharedSecret(with: peer, key: locked, pin: pin) }
        let signatures = try await times { _ = try await enclave.signature(for: digest, key: signing, pin: nil) }
        let crowd = try await crowded { _ = try await enclave.sharedSecret(with: peer, key: open, pin: nil) }
        func figure(_ what: String, _ value: Double, most: Double? = nil, note: String = "") -> Figure {
            Figure(what: what, value: value, unit: .milliseconds, goal: most.map { .value(atMost: $0) }, note: note)
        }
        return [
            figure(
                "TPM (swtpm), key agreement, p50",
                agreements.median,
                most: 6_000_000,
                note: "one salted session, which encrypts the secret"
            ),
            figure("TPM (swtpm), key agreement, p99", agreements.quantile(0.99)),
            figure("TPM (swtpm), key agreement with a PIN, p50", withPIN.median),
            figure("TPM (swtpm), signature, p50", signatures.median),
            figure("TPM (swtpm), key agreement, ten callers", crowd, note: "time for one, none refused"),
        ]
    }

    private static func times(_ body: () async throws -> Void) async throws -> [Double] {
        for _ in 0..<5 { try await body() }
        var times: [Double] = []
        for _ in 0..<turns {
            let start = nanoseconds()
            try await body()
            times.append(Double(nanoseconds() - start))
        }
        return times
    }

    /// Ten at a time; the time for each.
    private static func crowded(_ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let start = nanoseconds()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask { for _ in 0..<turns / 10 { try await body() } }
            }
            try await group.waitForAll()
        }
        return Double(nanoseconds() - start) / Double(turns)
    }
}
