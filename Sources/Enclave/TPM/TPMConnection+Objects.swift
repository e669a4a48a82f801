import CTSS2
import MildamCrypto
import MildamWire

/// Keys in the TPM's slots.
extension TPMConnection {
    /// A key that the hierarchy's seed and a template make. It has no authorization, and neither has the hierarchy.
    ///
    /// - Parameter hierarchy: `ESYS_TR_RH_OWNER` or `ESYS_TR_RH_ENDORSEMENT`.
    func createPrimary(in hierarchy: ESYS_TR, _ template: TPM2B_PUBLIC) throws(ResponseCode) -> ESYS_TR {
        var (template, sensitive) = (template, TPM2B_SENSITIVE_CREATE())
        var (outside, registers) = (TPM2B_DATA(), TPML_PCR_SELECTION())
        var key = ESYS_TR_NONE
        try check(
            unsafe Esys_CreatePrimary(
                esys,
                hierarchy,
                ESYS_TR_PASSWORD,
                ESYS_TR_NONE,
                ESYS_TR_NONE,
                &sensitive,
                &template,
                &outside,
                &registers,
                &key,
                nil,
                nil,
                nil,
                nil
            )
        )
        return key
    }

    /// A loaded object's Name, computed here from its public area.
    func name(of object: ESYS_TR) throws(ResponseCode) -> TPMName {
        var found: UnsafeMutablePointer<TPM2B_NAME>?
        try check(unsafe Esys_TR_GetName(esys, object, &found))
        defer { unsafe Esys_Free(found) }
        let bytes = unsafe found.map { found in
            let count = Int(unsafe found.pointee.size)
            return unsafe withUnsafeBytes(of: &found.pointee.name) { unsafe Array($0.prefix(count)) }
        }
        guard let name = try? TPMName(bytes: bytes ?? []) else {
            throw ResponseCode.malformed
        }
        return name
    }

    /// Makes a key under the storage key, in a session that hides its authorization. It is not loaded.
    func create(
        _ template: TPM2B_PUBLIC,
        authorization: SymmetricKey?
    ) throws(ResponseCode) -> (publicArea: TPM2B_PUBLIC, privateArea: [UInt8]) {
        let parent = storageKey ?? ESYS_TR_NONE
        var (template, outside, registers) = (template, TPM2B_DATA(), TPML_PCR_SELECTION())
        let sensitive = unsafe SecretStructure(TPM2B_SENSITIVE_CREATE.self) { sensitive in
            if let authorization { unsafe sensitive.pointee.sensitive.userAuth.assign(authorization) }
        }
        return try withSession { session throws(ResponseCode) in
            var privateArea: UnsafeMutablePointer<TPM2B_PRIVATE>?
            var publicArea: UnsafeMutablePointer<TPM2B_PUBLIC>?
            defer {
                unsafe Esys_Free(privateArea)
                unsafe Esys_Free(publicArea)
            }
            try check(
                unsafe sensitive.withPointer { sensitive in
                    unsafe Esys_Create(
                        esys,
                        parent,
                        session,
                        ESYS_TR_NONE,
                        ESYS_TR_NONE,
                        sensitive,
                        &template,
                        &outside,
                        &registers,
                        &privateArea,
                        &publicArea,
                        nil,
                        nil,
                        nil
                    )
                }
            )
            guard let privateArea = unsafe privateArea, let publicArea = unsafe publicArea else {
                throw ResponseCode.malformed
            }
            return unsafe (publicArea.pointee, privateArea.pointee.bytes)
        }
    }

    /// Loads a key under the storage key for as long as `body` runs.
    func withLoaded<Result, Failure: Error>(
        _ publicArea: TPM2B_PUBLIC,
        _ privateArea: [UInt8],
        orThrow refusal: (ResponseCode) -> Failure,
        _ body: (ESYS_TR) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var (publicArea, privateArea) = (publicArea, TPM2B_PRIVATE(privateArea))
        var key = ESYS_TR_NONE
        do throws(ResponseCode) {
            try check(
                unsafe Esys_Load(
                    esys,
                    storageKey ?? ESYS_TR_NONE,
                    ESYS_TR_PASSWORD,
                    ESYS_TR_NONE,
                    ESYS_TR_NONE,
                    &privateArea,
                    &publicArea,
                    &key
                )
            )
        } catch {
            throw refusal(error)
        }
        defer { flush(key) }
        return try body(key)
    }

    /// A loaded key, encrypted by the TPM so that only this TPM loads it again, and only until it is reset.
    func saved(_ key: ESYS_TR) throws(ResponseCode) -> SavedObject {
        var context: UnsafeMutablePointer<TPMS_CONTEXT>?
        try check(unsafe Esys_ContextSave(esys, key, &context))
        guard let context = unsafe context else { throw ResponseCode.malformed }
        return unsafe SavedObject(context)
    }

    /// Loads a saved key.
    func load(_ saved: SavedObject) throws(ResponseCode) -> ESYS_TR {
        var key = ESYS_TR_NONE
        try check(unsafe Esys_ContextLoad(esys, saved.context, &key))
        return key
    }
}

/// What `TPMConnection.saved` gave.
@safe
final class SavedObject {
    fileprivate let context: UnsafeMutablePointer<TPMS_CONTEXT>

    fileprivate init(_ context: UnsafeMutablePointer<TPMS_CONTEXT>) {
        unsafe self.context = context
    }

    deinit {
        unsafe Esys_Free(context)
    }
}
