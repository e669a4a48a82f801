/// What an enclave is, and how it does.
public enum EnclaveStatus: Sendable, Equatable {
    /// A TPM 2.0.
    case tpm(TPMStatus)
    /// Software, which makes keys at these costs.
    case software(Argon2Costs)
}
