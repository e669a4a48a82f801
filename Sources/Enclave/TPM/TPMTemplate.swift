import CTSS2
import FoundationEssentials
import MildamCrypto

/// The public areas of the keys that are made in a TPM (TPM 2.0 part 2, section 12.2.4).
///
/// `unsafe` marks members of C's unions, all of which are numbers: whichever is read has some value.
enum TPMTemplate {
    /// The storage key: a restricted decryption key on P-256, which encrypts what its children are kept as, and the salts
    /// of sessions.
    ///
    /// The owner's seed and this template make it anew each time: it needs no place in the TPM's memory. It has no
    /// authorization, and so none that a crash could count against (`noDA`).
    static func storageKey() -> TPM2B_PUBLIC {
        var template = elliptic(TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT | TPMA_OBJECT_NODA)
        unsafe template.publicArea.parameters.eccDetail.symmetric = aes128
        // Another key than other programs' under the same owner, so that none of them has it loaded.
        unsafe template.publicArea.unique.ecc.x.assign("Mildam storage key, version 1".utf8)
        return template
    }

    /// A key for one purpose, usable by whoever has its PIN, or by anybody.
    static func key(_ purpose: EnclaveKeyPurpose, hasPIN: Bool) -> TPM2B_PUBLIC {
        let use = purpose == .signing ? TPMA_OBJECT_SIGN_ENCRYPT : TPMA_OBJECT_DECRYPT
        var template = elliptic(hasPIN ? use : use | TPMA_OBJECT_NODA)
        unsafe template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_NULL
        switch purpose {
        case .keyAgreement:
            unsafe template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_ECDH
            unsafe template.publicArea.parameters.eccDetail.scheme.details.ecdh.hashAlg = TPM2_ALG_SHA256
        case .signing:
            unsafe template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_ECDSA
            unsafe template.publicArea.parameters.eccDetail.scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
        }
        return template
    }

    /// The public area of a key that was made from `key(_:hasPIN:)`.
    static func key(_ publicKey: EnclavePublicKey, hasPIN: Bool) -> TPM2B_PUBLIC {
        var area = key(publicKey.purpose, hasPIN: hasPIN)
        unsafe area.publicArea.unique.ecc = TPMS_ECC_POINT(x963Representation: publicKey.x963Representation)
        return area
    }

    private static func elliptic(_ attributes: TPMA_OBJECT) -> TPM2B_PUBLIC {
        var template = TPM2B_PUBLIC()
        template.publicArea.type = TPM2_ALG_ECC
        template.publicArea.nameAlg = TPM2_ALG_SHA256
        template.publicArea.objectAttributes =
            attributes | TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN
            | TPMA_OBJECT_USERWITHAUTH
        unsafe template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL
        unsafe template.publicArea.parameters.eccDetail.curveID = TPM2_ECC_NIST_P256
        unsafe template.publicArea.parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL
        return template
    }

    private static var aes128: TPMT_SYM_DEF_OBJECT {
        var symmetric = TPMT_SYM_DEF_OBJECT()
        symmetric.algorithm = TPM2_ALG_AES
        unsafe symmetric.keyBits.aes = 128
        unsafe symmetric.mode.aes = TPM2_ALG_CFB
        return symmetric
    }
}

extension TPM2B_PUBLIC {
    /// The point, where this is the public area of a key that was made from `TPMTemplate.key`.
    func point(_ purpose: EnclaveKeyPurpose, hasPIN: Bool) -> EnclavePublicKey? {
        let expected = TPMTemplate.key(purpose, hasPIN: hasPIN).publicArea
        guard publicArea.type == expected.type, publicArea.nameAlg == expected.nameAlg,
            publicArea.objectAttributes == expected.objectAttributes, publicArea.authPolicy.size == 0,
            unsafe publicArea.parameters.eccDetail.curveID == expected.parameters.eccDetail.curveID,
            unsafe publicArea.parameters.eccDetail.scheme.scheme == expected.parameters.eccDetail.scheme.scheme
        else { return nil }
        let point = unsafe publicArea.unique.ecc
        guard point.x.size == 32, point.y.size == 32 else { return nil }
        return try? EnclavePublicKey(purpose, x963Representation: [4] + point.x.padded + point.y.padded)
    }
}
