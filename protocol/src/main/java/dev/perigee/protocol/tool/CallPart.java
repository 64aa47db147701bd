package dev.perigee.protocol.tool;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Kinds of event of a running call that a request may accept besides its answer. */
public enum CallPart {
    /** How far its call is. */
    PROGRESS,
    /** What its server logs meanwhile. */
    LOG,
    /** What its server asks meanwhile, to be answered by {@link ToolMethod#CALL_RESPOND}. */
    INPUT,
    /** The task that its server makes of it, where the server can. */
    TASK;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** As in the field {@code accepts}. */
    public String wireName() {
        return wireName;
    }

    /** The part of this name, or null when this version has none. */
    public static @Nullable CallPart of(String wireName) {
        for (var part : values()) {
            if (part.wireName.equals(wireName)) {
                return part;
            }
        }
        return null;
    }
}
