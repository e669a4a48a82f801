/// Which enclave is used on this machine.
public struct EnclaveChoice: Sendable {
    /// The enclave.
    public let enclave: any Enclave
    /// What it said of itself.
    public let status: EnclaveStatus
    /// Why there is no TPM, where software takes its place.
    public let missingTPM: EnclaveError?

    /// The TPM at an address; software where there is none, and nobody has named it.
    ///
    /// A TPM that is there and cannot be used is an error: what somebody believes to be in a chip is kept nowhere else.
    ///
    /// - Parameter isNamed: whether somebody has asked for the TPM at this very address.
    /// - Throws: `EnclaveError`: why the TPM cannot be used.
    public static func find(_ address: TPMAddress, isNamed: Bool) async throws(EnclaveError) -> EnclaveChoice {
        let tpm = TPMEnclave(address)
        do throws(EnclaveError) {
            return EnclaveChoice(enclave: tpm, status: try await tpm.status(), missingTPM: nil)
        } catch {
            guard !isNamed, case .absent(_, .missing) = error else { throw error }
            return software(missingTPM: error)
        }
    }

    /// The software enclave.
    ///
    /// - Parameter missingTPM: why it is used, if nobody has asked for it.
    public static func software(missingTPM: EnclaveError? = nil) -> EnclaveChoice {
        EnclaveChoice(
            enclave: SoftwareEnclave(),
            status: .software(.standard),
            missingTPM: missingTPM
        )
    }
}
