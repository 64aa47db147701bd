package dev.perigee.local.connect;

import org.jspecify.annotations.Nullable;

/** Headers of an HTTP request by their names, whose letters' case does not matter. */
interface RequestHeaders {
    /** The value; null where there is none, or several, of which others may take another. */
    @Nullable String value(String name);
}
