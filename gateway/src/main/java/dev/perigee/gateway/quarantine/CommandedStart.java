package dev.perigee.gateway.quarantine;

/** How a command starts an installation. */
public enum CommandedStart {
    /** Once more, as it is. */
    AGAIN,
    /** As it is, after it was stopped by intent. */
    AFTER_STOP,
    /** As something new, or not as it was. */
    CHANGED
}
