package dev.perigee.worker.tool;

import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how many tokens a tool's description costs a model: a token for every four characters
 * of name, description and schema, rounded up.
 */
final class TokenEstimate {
    private static final int CHARACTERS_PER_TOKEN = 4;

    private TokenEstimate() {}

    static long of(String name, @Nullable String description, RawJson schema) {
        long characters =
                (long) name.length()
                        + (description == null ? 0 : description.length())
                        + schema.text().length();
        return (characters + CHARACTERS_PER_TOKEN - 1) / CHARACTERS_PER_TOKEN;
    }
}
