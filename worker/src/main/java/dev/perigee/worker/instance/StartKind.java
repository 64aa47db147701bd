package dev.perigee.worker.instance;

import dev.perigee.worker.process.packages.PackagePreparer.Lookup;

/** Reason of a start, which determines its events and what its failure means. */
enum StartKind {
    /** A configuration arrived, or an owner restores it. A failure is an error, not a crash. */
    INSTALL,
    /** A user wants it restarted. A failure is an error, not a crash. */
    MANUAL_RESTART,
    /** After a crash. A failure is another crash. */
    CRASH_RESTART,
    /** A call came while the instance was in error without a process. A failure is a crash. */
    ATTEMPT,
    /** A call came to a dormant instance, whose tools are known. A failure leaves it dormant. */
    RESPAWN;

    /** Whether the start may wait for a registry though an older package is there. */
    Lookup lookup() {
        return switch (this) {
            case INSTALL, MANUAL_RESTART -> Lookup.WHEN_DUE;
            case CRASH_RESTART, ATTEMPT, RESPAWN -> Lookup.WHEN_MISSING;
        };
    }

    /** Whether a user has it started, or an operator, rather than a call or a crash. */
    boolean isOrdered() {
        return switch (this) {
            case INSTALL, MANUAL_RESTART -> true;
            case CRASH_RESTART, ATTEMPT, RESPAWN -> false;
        };
    }

    /** Whether a failure counts against the crash budget. */
    boolean failureIsCrash() {
        return switch (this) {
            case CRASH_RESTART, ATTEMPT -> true;
            case INSTALL, MANUAL_RESTART, RESPAWN -> false;
        };
    }
}
