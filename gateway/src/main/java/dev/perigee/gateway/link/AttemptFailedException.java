package dev.perigee.gateway.link;

/** An attempt to reach a worker ended without a link; the message is for people. */
final class AttemptFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean permanent;

    AttemptFailedException(String message, boolean permanent) {
        super(message, null, false, false);
        this.permanent = permanent;
    }

    /** Whether a retry is pointless until somebody changes a configuration or a version. */
    boolean isPermanent() {
        return permanent;
    }
}
