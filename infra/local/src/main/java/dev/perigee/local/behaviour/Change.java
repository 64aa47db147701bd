package dev.perigee.local.behaviour;

import org.jspecify.annotations.Nullable;

/**
 * One place at which two values differ.
 *
 * @param before null where it was added
 * @param after null where it was removed
 */
public record Change(String path, @Nullable String before, @Nullable String after) {
    /** Added, removed or changed. */
    public String kind() {
        return before == null ? "added" : after == null ? "removed" : "changed";
    }

    @Override
    public String toString() {
        return kind() + " " + path;
    }
}
