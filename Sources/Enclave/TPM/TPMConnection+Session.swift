import CTSS2
import MildamCrypto

/// Sessions: one for each command, salted to the storage key, so that nobody on the way to the TPM learns the key that
/// authenticates the command and encrypts its first parameter both ways (TPM 2.0 part 1, sections 19.6 and 21).
extension TPMConnection {
    /// What is hidden unless somebody knows better: the first parameter of the command and that of its answer.
    static let bothWays = TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT

    /// Runs one command in a session, which ends with it.
    ///
    /// The salt is encrypted to the storage key as this program knows it: whoever owns the connection has compared its
    /// Name before.
    ///
    /// - Parameter hidden: what is encrypted; all of the command and its answer is authenticated.
    func withSession<Result>(
        hiding hidden: TPMA_SESSION = TPMConnection.bothWays,
        _ body: (ESYS_TR) throws(ResponseCode) -> Result
    ) throws(ResponseCode) -> Result {
        let session = try startSession(hidden)
        do throws(ResponseCode) {
            return try body(session)
        } catch {
            // Only a command that succeeds ends its session.
            endSession(session)
            throw error
        }
    }

    /// As `withSession`, for a command that asks for an object's authorization.
    func withSession<Result>(
        authorizing object: ESYS_TR,
        by authorization: SymmetricKey?,
        hiding hidden: TPMA_SESSION = TPMConnection.bothWays,
        _ body: (ESYS_TR) throws(ResponseCode) -> Result
    ) throws(ResponseCode) -> Result {
        guard let authorization else { return try withSession(hiding: hidden, body) }
        let secret = unsafe SecretStructure(TPM2B_AUTH.self) { unsafe $0.pointee.assign(authorization) }
        try check(unsafe secret.withPointer { unsafe Esys_TR_SetAuth(esys, object, $0) })
        defer {
            var nothing = TPM2B_AUTH()
            unsafe Esys_TR_SetAuth(esys, object, &nothing)
        }
        return try withSession(hiding: hidden) { session throws(ResponseCode) in
            secretSession = session
            return try body(session)
        }
    }

    /// Ends a session whose command was refused: one that knows a secret when that was wiped, any other at once.
    private func endSession(_ session: ESYS_TR) {
        guard session == secretSession else { return flush(session) }
        var handle = TPM2_HANDLE()
        do throws(ResponseCode) {
            try check(unsafe Esys_TR_GetTpmHandle(esys, session, &handle))
            unendedSession = handle
        } catch {
            spoil()
        }
    }

    private func startSession(_ hidden: TPMA_SESSION) throws(ResponseCode) -> ESYS_TR {
        var symmetric = TPMT_SYM_DEF()
        symmetric.algorithm = TPM2_ALG_AES
        unsafe symmetric.keyBits.aes = 128
        unsafe symmetric.mode.aes = TPM2_ALG_CFB
        // ESYS would make one, at the price of a library context of libcrypto's.
        let random = SecretBytes.random(count: SHA256.byteCount)
        var nonce = unsafe random.withUnsafeBytes { unsafe TPM2B_NONCE($0) }
        var session = ESYS_TR_NONE
        try check(
            unsafe Esys_StartAuthSession(
                esys,
                storageKey ?? ESYS_TR_NONE,
                ESYS_TR_NONE,
                ESYS_TR_NONE,
                ESYS_TR_NONE,
                ESYS_TR_NONE,
                &nonce,
                TPM2_SE_HMAC,
                &symmetric,
                TPM2_ALG_SHA256,
                &session
            )
        )
        do throws(ResponseCode) {
            // Not continued after its command.
            try check(unsafe Esys_TRSess_SetAttributes(esys, session, hidden, 0xFF))
        } catch {
            endSession(session)
            throw error
        }
        return session
    }
}
