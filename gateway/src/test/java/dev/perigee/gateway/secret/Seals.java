package dev.perigee.gateway.secret;

import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import java.util.stream.Collectors;

/** Seals for tests of those who have one. */
public final class Seals {
    private Seals() {}

    /** With keys of these ids, the same for the same id; the first one seals. */
    public static StateSeal with(String... ids) {
        var text = Arrays.stream(ids).map(Seals::entry).collect(Collectors.joining(","));
        return new StateSeal(Objects.requireNonNull(StateKeys.parse(text)));
    }

    private static String entry(String id) {
        var key = new byte[32];
        Arrays.fill(key, (byte) id.hashCode());
        return id + ":" + Base64.getEncoder().encodeToString(key);
    }
}
