import CTSS2
import Glibc
import MildamCrypto

/// One connection to a TPM through ESYS (TCG TSS 2.0 Enhanced System API), for one piece of work: what it loads, it
/// removes when it is closed, and what it knew of secrets is wiped then.
///
/// Every call blocks. Its owner uses it on one thread at a time.
@safe
final class TPMConnection {
    private(set) var esys: OpaquePointer
    private let tcti: OpaquePointer
    private let memory: UnsafeMutableRawPointer
    /// The storage key, while it is loaded.
    var storageKey: ESYS_TR?
    /// The session that knew an authorization.
    var secretSession: ESYS_TR?
    /// Its number in the TPM, when it did not end there with its command.
    var unendedSession: TPM2_HANDLE?
    /// Whether something may have stayed in the TPM that this connection can no longer remove.
    private(set) var isSpoilt = false
    private var isOpen = true

    /// Connects.
    ///
    /// - Throws: `EnclaveError.absent`.
    init(_ address: TPMAddress) throws(EnclaveError) {
        TPMConnection.silenceLibrary
        if let path = address.path, unsafe access(path, R_OK | W_OK) != 0 {
            throw .absent(address: address.description, errno == EACCES ? .notPermitted : .missing)
        }
        let initialise = unsafe address.transport == .device ? Tss2_Tcti_Device_Init : Tss2_Tcti_Swtpm_Init
        var size = 0
        guard unsafe initialise(nil, &size, nil) == TSS2_RC_SUCCESS else {
            throw .absent(address: address.description, .noAnswer)
        }
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        unsafe tcti = OpaquePointer(memory)
        guard unsafe initialise(tcti, &size, address.configuration) == TSS2_RC_SUCCESS else {
            unsafe memory.deallocate()
            throw .absent(address: address.description, .noAnswer)
        }
        var context: OpaquePointer?
        let code = unsafe Esys_Initialize(&context, tcti, nil)
        guard code == TSS2_RC_SUCCESS, let context = unsafe context else {
            unsafe mildam_tcti_finalize(tcti)
            unsafe memory.deallocate()
            throw .tpm(code: code)
        }
        unsafe esys = context
    }

    deinit {
        close()
    }

    /// Removes the storage key from the TPM, wipes what ESYS knows, and disconnects. A second call does nothing.
    func close() {
        guard isOpen else { return }
        isOpen = false
        flushStorageKey()
        let transmit = unsafe mildam_tcti_mute(tcti)
        wipe()
        var context: OpaquePointer? = unsafe esys
        unsafe Esys_Finalize(&context)
        unsafe mildam_tcti_unmute(tcti, transmit)
        endUnendedSession()
        unsafe mildam_tcti_finalize(tcti)
        unsafe memory.deallocate()
    }

    /// Ends the session of a command that was refused, once the ESYS that knew its secrets is gone: to end it earlier
    /// would have freed them as they were.
    private func endUnendedSession() {
        guard let session = unendedSession else { return }
        var context: OpaquePointer?
        guard unsafe Esys_Initialize(&context, tcti, nil) == TSS2_RC_SUCCESS, let fresh = unsafe context else {
            return spoil()
        }
        unsafe esys = fresh
        do throws(ResponseCode) { try flush(handle: session) } catch { spoil() }
        unsafe Esys_Finalize(&context)
    }

    /// Removes the storage key from the TPM, if it is there.
    func flushStorageKey() {
        guard let loaded = storageKey else { return }
        storageKey = nil
        flush(loaded)
    }

    /// Removes an object from the TPM. What cannot be removed spoils the connection.
    func flush(_ object: ESYS_TR) {
        if unsafe Esys_FlushContext(esys, object) != TSS2_RC_SUCCESS { isSpoilt = true }
    }

    /// Throws what a code other than success means.
    func check(_ code: TSS2_RC) throws(ResponseCode) {
        guard code != TSS2_RC_SUCCESS else { return }
        let code = ResponseCode(code)
        // ESYS gives up its whole context after anything but a refusal.
        if !code.isRefusal { isSpoilt = true }
        throw code
    }

    /// Something may stay in the TPM.
    func spoil() { isSpoilt = true }

    /// Writes over what ESYS would free as it is: what it was given as input, the buffer of its commands and answers, and
    /// the authorization in the session that used it.
    ///
    /// It does so by itself when it prepares a command, and this one is not sent.
    private func wipe() {
        var owner = TPM2B_AUTH()
        owner.size = UInt16(TPM2_SHA256_DIGEST_SIZE)
        unsafe Esys_TR_SetAuth(esys, ESYS_TR_RH_OWNER, &owner)
        var sensitive = TPM2B_SENSITIVE_CREATE()
        sensitive.sensitive.userAuth.size = UInt16(TPM2_SHA256_DIGEST_SIZE)
        sensitive.sensitive.data.size = 128
        var (template, outside, registers) = (TPMTemplate.storageKey(), TPM2B_DATA(), TPML_PCR_SELECTION())
        unsafe Esys_CreatePrimary_Async(
            esys,
            ESYS_TR_RH_OWNER,
            secretSession ?? ESYS_TR_PASSWORD,
            ESYS_TR_NONE,
            ESYS_TR_NONE,
            &sensitive,
            &template,
            &outside,
            &registers
        )
    }

    /// Without this the software stack writes each refusal to standard error, in several lines.
    private static let silenceLibrary: Void = {
        unsafe setenv("TSS2_LOG", "all+none", 0)
    }()
}
