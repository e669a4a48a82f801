#include <tss2/tss2_esys.h>
#include <tss2/tss2_rc.h>
#include <tss2/tss2_tcti_device.h>
#include <tss2/tss2_tcti_swtpm.h>

// Macros that Swift does not import.

/// `Tss2_Tcti_Finalize`: ends the connection; the memory stays its owner's.
static inline void mildam_tcti_finalize(TSS2_TCTI_CONTEXT *_Nonnull tcti) { Tss2_Tcti_Finalize(tcti); }

/// From now on nothing is sent: every attempt fails. What it returns makes `mildam_tcti_unmute` undo this.
static inline TSS2_TCTI_TRANSMIT_FCN _Nullable mildam_tcti_mute(TSS2_TCTI_CONTEXT *_Nonnull tcti) {
    TSS2_TCTI_TRANSMIT_FCN transmit = TSS2_TCTI_TRANSMIT(tcti);
    TSS2_TCTI_TRANSMIT(tcti) = NULL;
    return transmit;
}

static inline void mildam_tcti_unmute(TSS2_TCTI_CONTEXT *_Nonnull tcti, TSS2_TCTI_TRANSMIT_FCN _Nullable transmit) {
    TSS2_TCTI_TRANSMIT(tcti) = transmit;
}

static const TPM2_PT MILDAM_PT_MANUFACTURER = TPM2_PT_MANUFACTURER;
static const TPM2_PT MILDAM_PT_VENDOR_STRING_1 = TPM2_PT_VENDOR_STRING_1;
static const TPM2_PT MILDAM_PT_VENDOR_STRING_4 = TPM2_PT_VENDOR_STRING_4;
static const TPM2_PT MILDAM_PT_FIRMWARE_VERSION_1 = TPM2_PT_FIRMWARE_VERSION_1;
static const TPM2_PT MILDAM_PT_FIRMWARE_VERSION_2 = TPM2_PT_FIRMWARE_VERSION_2;
static const TPM2_PT MILDAM_PT_PERMANENT = TPM2_PT_PERMANENT;
static const TPM2_PT MILDAM_PT_HR_TRANSIENT_AVAIL = TPM2_PT_HR_TRANSIENT_AVAIL;
static const TPM2_PT MILDAM_PT_LOCKOUT_COUNTER = TPM2_PT_LOCKOUT_COUNTER;
static const TPM2_PT MILDAM_PT_MAX_AUTH_FAIL = TPM2_PT_MAX_AUTH_FAIL;
static const TPM2_PT MILDAM_PT_LOCKOUT_INTERVAL = TPM2_PT_LOCKOUT_INTERVAL;

static const TPM2_HANDLE MILDAM_TRANSIENT_FIRST = TPM2_TRANSIENT_FIRST;
static const TPM2_HANDLE MILDAM_LOADED_SESSION_FIRST = TPM2_LOADED_SESSION_FIRST;

static const TPM2_RC MILDAM_RC_AUTH_FAIL = TPM2_RC_AUTH_FAIL;
static const TPM2_RC MILDAM_RC_BAD_AUTH = TPM2_RC_BAD_AUTH;
static const TPM2_RC MILDAM_RC_LOCKOUT = TPM2_RC_LOCKOUT;
static const TPM2_RC MILDAM_RC_OBJECT_MEMORY = TPM2_RC_OBJECT_MEMORY;
static const TPM2_RC MILDAM_RC_SESSION_MEMORY = TPM2_RC_SESSION_MEMORY;
static const TPM2_RC MILDAM_RC_SESSION_HANDLES = TPM2_RC_SESSION_HANDLES;
static const TPM2_RC MILDAM_RC_COMMAND_CODE = TPM2_RC_COMMAND_CODE;
static const TPM2_RC MILDAM_RC_CURVE = TPM2_RC_CURVE;
static const TPM2_RC MILDAM_RC_HIERARCHY = TPM2_RC_HIERARCHY;
static const TPM2_RC MILDAM_RC_HANDLE = TPM2_RC_HANDLE;
static const TPM2_RC MILDAM_RC_NV_DEFINED = TPM2_RC_NV_DEFINED;
static const TPM2_RC MILDAM_RC_NV_SPACE = TPM2_RC_NV_SPACE;
