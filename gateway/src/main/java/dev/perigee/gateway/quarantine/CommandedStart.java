package dev.perigee.gateway.quarantine;

/** Kinds of start of an installation by a command. */
public enum CommandedStart {
    /** Once more, as it is. */
    AGAIN,
    /** As it is, after it was stopped by intent. */
    AFTER_STOP,
    /** As something new, or not as it was. */
    CHANGED
}
