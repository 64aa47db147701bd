package dev.perigee.worker.session;

/**
 * Flow-control credit of a session, in bytes of events that it may still send, so that one noisy
 * partition cannot hold up another of the same connection. Counted in bytes of whole frames. An
 * entry larger than what is left is sent while anything is left, and the debt paid from what is
 * granted next: otherwise it could never be sent. Pure; its owner holds a lock around it.
 */
final class Credit {
    private long bytes;

    Credit(long bytes) {
        this.bytes = bytes;
    }

    boolean available() {
        return bytes > 0;
    }

    void spend(long spent) {
        bytes -= spent;
    }

    /** Grants more; a grant that is not positive is ignored, and no sum overflows. */
    void grant(long granted) {
        if (granted > 0) {
            bytes = bytes > Long.MAX_VALUE - granted ? Long.MAX_VALUE : bytes + granted;
        }
    }
}
