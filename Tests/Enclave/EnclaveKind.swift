import Foundation
import MildamCrypto
import MildamEnclave
import TestSupport

/// Each enclave there is, made anew for each test.
enum EnclaveKind: String, CaseIterable {
    case tpm
    case software

    /// What can be here: without a TPM the others are tested.
    static let available: [EnclaveKind] = softwareTPMIsExpected ? allCases : [.software]

    /// An enclave, and what has to live as long as it is used.
    func make() throws -> (any Enclave, keeping: SoftwareTPM?) {
        switch self {
        case .tpm:
            let tpm = try SoftwareTPM()
            return (TPMEnclave(try TPMAddress(tpm.address)), tpm)
        case .software:
            return (SoftwareEnclave(costs: try .cheapest), nil)
        }
    }
}

extension Argon2Costs {
    /// What tests can afford.
    static var cheapest: Argon2Costs {
        get throws { try Argon2Costs(memoryKiB: memoryLimits.lowerBound, passes: passLimits.lowerBound) }
    }
}

extension EnclavePIN {
    /// A PIN of a text's bytes.
    init(_ text: String) throws {
        try self.init(SecretBytes(copying: Data(text.utf8)))
    }
}

extension EnclaveKeyBlob {
    /// The public key of a key that agrees.
    var agreementKey: P256.KeyAgreement.PublicKey {
        get throws {
            guard case .keyAgreement(let key) = publicKey else { throw EnclaveError.wrongPurpose }
            return key
        }
    }

    /// The public key of a key that signs.
    var signingKey: P256.Signing.PublicKey {
        get throws {
            guard case .signing(let key) = publicKey else { throw EnclaveError.wrongPurpose }
            return key
        }
    }
}

/// The error that something throws; none is an issue of its own.
func failure(
    isolation: isolated (any Actor)? = #isolation,
    of body: () async throws -> Void
) async -> EnclaveError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? EnclaveError
    }
}
