import CTSS2
import MildamCrypto

/// Counters in the TPM's memory (TPM 2.0 part 3, section 31).
extension TPMConnection {
    /// Makes a counter that has no value yet. Whoever has the authorization can raise and read it; a wrong one counts
    /// against nobody.
    func defineCounter(at index: TPM2_HANDLE, authorization: SymmetricKey) throws(ResponseCode) {
        let secret = unsafe SecretStructure(TPM2B_AUTH.self) { unsafe $0.pointee.assign(authorization) }
        var area = TPM2B_NV_PUBLIC()
        area.nvPublic.nvIndex = index
        area.nvPublic.nameAlg = TPM2_ALG_SHA256
        area.nvPublic.attributes =
            TPMA_NV(TPM2_NT_COUNTER) << TPMA_NV(TPMA_NV_TPM2_NT_SHIFT) | TPMA_NV_AUTHREAD | TPMA_NV_AUTHWRITE
            | TPMA_NV_NO_DA
        area.nvPublic.dataSize = 8
        try withSession { session throws(ResponseCode) in
            var made = ESYS_TR_NONE
            try check(
                unsafe secret.withPointer { secret in
                    unsafe Esys_NV_DefineSpace(
                        esys,
                        ESYS_TR_RH_OWNER,
                        session,
                        ESYS_TR_NONE,
                        ESYS_TR_NONE,
                        secret,
                        &area,
                        &made
                    )
                }
            )
        }
    }

    /// Raises a counter by one.
    func incrementCounter(at index: TPM2_HANDLE, authorization: SymmetricKey) throws(ResponseCode) {
        let counter = try memory(at: index)
        try withSession(authorizing: counter, by: authorization) { session throws(ResponseCode) in
            try check(unsafe Esys_NV_Increment(esys, counter, counter, session, ESYS_TR_NONE, ESYS_TR_NONE))
        }
    }

    /// A counter's value.
    func counter(at index: TPM2_HANDLE, authorization: SymmetricKey) throws(ResponseCode) -> UInt64 {
        let counter = try memory(at: index)
        return try withSession(authorizing: counter, by: authorization) { session throws(ResponseCode) in
            var found: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
            defer { unsafe Esys_Free(found) }
            try check(
                unsafe Esys_NV_Read(esys, counter, counter, session, ESYS_TR_NONE, ESYS_TR_NONE, 8, 0, &found)
            )
            guard let found = unsafe found, unsafe found.pointee.size == 8 else { throw ResponseCode.malformed }
            return unsafe withUnsafeBytes(of: &found.pointee.buffer) { bytes in
                unsafe bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
    }

    /// Removes what is at an index.
    func undefineCounter(at index: TPM2_HANDLE) throws(ResponseCode) {
        let counter = try memory(at: index)
        try withSession { session throws(ResponseCode) in
            try check(
                unsafe Esys_NV_UndefineSpace(esys, ESYS_TR_RH_OWNER, counter, session, ESYS_TR_NONE, ESYS_TR_NONE)
            )
        }
    }

    private func memory(at index: TPM2_HANDLE) throws(ResponseCode) -> ESYS_TR {
        var object = ESYS_TR_NONE
        try check(unsafe Esys_TR_FromTPMPublic(esys, index, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &object))
        return object
    }
}
