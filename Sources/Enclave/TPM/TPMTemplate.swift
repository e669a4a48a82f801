import CTSS2
import FoundationEssentials
import MildamCrypto

/// The public areas of the keys that are made in a TPM (TPM 2.0 part 2, section 12.2.4).
enum TPMTemplate {
    /// The storage key: a restricted decryption key on P-256, which encrypts what its children are kept as, and the salts
    /// of sessions.
    ///
    /// The owner's seed and this template make it anew each time: it needs no place in the TPM's memory. It has no
    /// authorization, and so none that a crash could count against (`noDA`).
    static func storageKey() -> TPM2B_PUBLIC {
        var template = elliptic(TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT | TPMA_OBJECT_NODA)
        template.publicArea.parameters.eccDetail.symmetric = aes128
        // Another key than other programs' under the same owner, so that none of them has it loaded.
        template.publicArea.unique.ecc.x.assign("Mildam storage key, version 1".utf8)
        return template
    }

    /// A key for one purpose, usable by whoever has its PIN, or by anybody.
    static func key(_ purpose: EnclaveKeyPurpose, hasPIN: Bool) -> TPM2B_PUBLIC {
        let use = purpose == .signing ? TPMA_OBJECT_SIGN_ENCRYPT : TPMA_OBJECT_DECRYPT
        var template = elliptic(hasPIN ? use : use | TPMA_OBJECT_NODA)
        template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_NULL
        switch purpose {
        case .keyAgreement:
            template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_ECDH
            template.publicArea.parameters.eccDetail.scheme.details.ecdh.hashAlg = TPM2_ALG_SHA256
        case .signing:
            template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_ECDSA
            template.publicArea.parameters.eccDetail.scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
        }
        return template
    }

    /// The public area of a key that was made from `key(_:hasPIN:)`.
    static func key(_ publicKey: EnclavePublicKey, hasPIN: Bool) -> TPM2B_PUBLIC {
        var area = key(publicKey.purpose, hasPIN: hasPIN)
        area.publicArea.unique.ecc = TPMS_ECC_POINT(x963Representation: publicKey.x963Representation)
        return area
    }

    private static func elliptic(_ attributes: TPMA_OBJECT) -> TPM2B_PUBLIC {
        var template = TPM2B_PUBLIC()
        template.publicArea.type = TPM2_ALG_ECC
        template.publicArea.nameAlg = TPM2_ALG_SHA256
        template.publicArea.objectAttributes =
            attributes | TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN
            | TPMA_OBJECT_USERWITHAUTH
        template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL
        template.publicArea.parameters.eccDetail.curveID = TPM2_ECC_NIST_P256
        template.publicArea.parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL
        return template
    }

    private static var aes128: TPMT_SYM_DEF_OBJECT {
        var symmetric = TPMT_SYM_DEF_OBJECT()
        symmetric.algorithm = TPM2_ALG_AES
        symmetric.keyBits.aes = 128
        symmetric.mode.aes = TPM2_ALG_CFB
        return symmetric
    }
}

extension TPM2B_PUBLIC {
    /// The point, where this is the public area of a key that was made from `TPMTemplate.key`.
    func point(_ purpose: EnclaveKeyPurpose, hasPIN: Bool) -> EnclavePublicKey? {
        let expected = TPMTemplate.key(purpose, hasPIN: hasPIN).publicArea
        guard publicArea.type == expected.type, publicArea.nameAlg == expected.nameAlg,
            publicArea.objectAttributes == expected.objectAttributes, publicArea.authPolicy.size == 0,
            publicArea.parameters.eccDetail.curveID == expected.parameters.eccDetail.curveID,
            publicArea.parameters.eccDetail.scheme.scheme == expected.parameters.eccDetail.scheme.scheme,
            publicArea.unique.ecc.x.size == 32, publicArea.unique.ecc.y.size == 32
        else { return nil }
        let point = [4] + publicArea.unique.ecc.x.padded + publicArea.unique.ecc.y.padded
        return try? EnclavePublicKey(purpose, x963Representation: point)
    }
}
