import CTSS2
import FoundationEssentials
import Glibc
import MildamCrypto

/// What a loaded key does. The storage key has done its part once a session is salted: a resource manager would save and
/// load it around every further command.
extension TPMConnection {
    /// The x-coordinate of another's point, multiplied in the chip (TPM2_ECDH_ZGen).
    func sharedSecret(
        of key: ESYS_TR,
        with publicKey: P256.KeyAgreement.PublicKey,
        authorization: SymmetricKey?
    ) throws(ResponseCode) -> SharedSecret {
        var input = TPM2B_ECC_POINT()
        input.point = TPMS_ECC_POINT(x963Representation: publicKey.x963Representation)
        // The other's point is public.
        return try withSession(authorizing: key, by: authorization, hiding: TPMA_SESSION_ENCRYPT) {
            session throws(ResponseCode) in
            flushStorageKey()
            var output: UnsafeMutablePointer<TPM2B_ECC_POINT>?
            defer {
                if let output = unsafe output {
                    unsafe explicit_bzero(output, MemoryLayout<TPM2B_ECC_POINT>.size)
                    unsafe Esys_Free(output)
                }
                SecretMemory.wipeStack()  // unmarshalling leaves the point there
            }
            try check(
                unsafe Esys_ECDH_ZGen(esys, key, session, ESYS_TR_NONE, ESYS_TR_NONE, &input, &output)
            )
            guard let output = unsafe output, unsafe (1...32).contains(output.pointee.point.x.size) else {
                throw ResponseCode.malformed
            }
            return unsafe SharedSecret(
                SecretBytes(count: 32) { secret in
                    // Some TPMs leave leading zeros out.
                    let count = Int(unsafe output.pointee.point.x.size)
                    let end = unsafe UnsafeMutableRawBufferPointer(rebasing: secret.suffix(count))
                    unsafe withUnsafeBytes(of: &output.pointee.point.x.buffer) {
                        unsafe end.copyBytes(from: $0.prefix(count))
                    }
                }
            )
        }
    }

    /// The chip's signature of a digest (TPM2_Sign).
    func signature(
        of key: ESYS_TR,
        for digest: SHA256Digest,
        authorization: SymmetricKey?
    ) throws(ResponseCode) -> P256.Signing.ECDSASignature {
        var message = unsafe digest.withUnsafeBytes { unsafe TPM2B_DIGEST($0) }
        // The key says how it signs.
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = TPM2_ALG_NULL
        // The key signs digests of anybody's making, so that no ticket is needed.
        var ticket = TPMT_TK_HASHCHECK()
        ticket.tag = TPM2_ST_HASHCHECK
        ticket.hierarchy = TPM2_RH_NULL
        return try withSession(authorizing: key, by: authorization) { session throws(ResponseCode) in
            flushStorageKey()
            var found: UnsafeMutablePointer<TPMT_SIGNATURE>?
            defer { unsafe Esys_Free(found) }
            try check(
                unsafe Esys_Sign(
                    esys,
                    key,
                    session,
                    ESYS_TR_NONE,
                    ESYS_TR_NONE,
                    &message,
                    &scheme,
                    &ticket,
                    &found
                )
            )
            guard let found = unsafe found, unsafe found.pointee.sigAlg == TPM2_ALG_ECDSA else {
                throw ResponseCode.malformed
            }
            let numbers = unsafe found.pointee.signature.ecdsa
            do throws(CryptoKitError) {
                return try P256.Signing.ECDSASignature(
                    rawRepresentation: numbers.signatureR.padded + numbers.signatureS.padded
                )
            } catch {
                throw ResponseCode.malformed
            }
        }
    }
}
