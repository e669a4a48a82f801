import CTSS2

/// What a TPM says of itself to anybody (TPM2_GetCapability).
extension TPMConnection {
    /// The values of properties, by their tags.
    func properties(_ range: ClosedRange<TPM2_PT>) throws(ResponseCode) -> [TPM2_PT: UInt32] {
        let found = try unsafe capability(
            TPM2_CAP_TPM_PROPERTIES,
            from: range.lowerBound,
            range.upperBound + 1 - range.lowerBound
        )
        defer { unsafe Esys_Free(found) }
        let used = Int(unsafe found.pointee.data.tpmProperties.count)
        return unsafe withUnsafeBytes(of: &found.pointee.data.tpmProperties.tpmProperty) { memory in
            let list = unsafe memory.bindMemory(to: TPMS_TAGGED_PROPERTY.self).prefix(used)
            return Dictionary(unsafe list.map { ($0.property, $0.value) }) { first, _ in first }
        }
    }

    /// The handles in use from `first` on: of loaded objects, or of loaded sessions.
    func handles(from first: TPM2_HANDLE) throws(ResponseCode) -> [TPM2_HANDLE] {
        let found = try unsafe capability(TPM2_CAP_HANDLES, from: first, 254)
        defer { unsafe Esys_Free(found) }
        let used = Int(unsafe found.pointee.data.handles.count)
        return unsafe withUnsafeBytes(of: &found.pointee.data.handles.handle) { memory in
            unsafe Array(memory.bindMemory(to: TPM2_HANDLE.self).prefix(used))
        }
    }

    /// Removes what is loaded under a handle of the TPM's.
    func flush(handle: TPM2_HANDLE) throws(ResponseCode) {
        var object = ESYS_TR_NONE
        try check(unsafe Esys_TR_FromTPMPublic(esys, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &object))
        try check(unsafe Esys_FlushContext(esys, object))
    }

    private func capability(
        _ capability: TPM2_CAP,
        from first: UInt32,
        _ count: UInt32
    ) throws(ResponseCode) -> UnsafeMutablePointer<TPMS_CAPABILITY_DATA> {
        var more = TPMI_YES_NO(0)
        var found: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
        try check(
            unsafe Esys_GetCapability(
                esys,
                ESYS_TR_NONE,
                ESYS_TR_NONE,
                ESYS_TR_NONE,
                capability,
                first,
                count,
                &more,
                &found
            )
        )
        guard let found = unsafe found, unsafe found.pointee.capability == capability else {
            unsafe Esys_Free(found)
            throw ResponseCode.malformed
        }
        return unsafe found
    }
}
