package dev.perigee.local.replay;

import dev.perigee.local.masking.SecretField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Secrets and hosts that were found while records were rewritten, by name and never by value: what
 * a dry run shows. For one thread.
 */
public final class RewriteFindings {
    /**
     * A value that may be a secret.
     *
     * @param place the configuration's field
     * @param done {@code masked}, {@code kept} or {@code mapped}
     */
    public record Secret(String place, String name, String server, String done)
            implements Comparable<Secret> {
        @Override
        public int compareTo(Secret other) {
            return (server + '\0' + place + '\0' + name + '\0' + done)
                    .compareTo(
                            other.server
                                    + '\0'
                                    + other.place
                                    + '\0'
                                    + other.name
                                    + '\0'
                                    + other.done);
        }
    }

    private static final String MASKED = "masked";
    private static final int NAMED = 10;

    private final Map<Secret, Long> secrets = new TreeMap<>();
    private final Map<String, Long> hosts = new TreeMap<>();
    private long pinned;

    void secret(SecretField place, String name, String server, Replacement replacement) {
        var done =
                switch (replacement) {
                    case Replacement.Mask() -> MASKED;
                    case Replacement.Keep() -> "kept";
                    case Replacement.Value _ -> "mapped";
                };
        secrets.merge(new Secret(place.field(), name, server, done), 1L, Long::sum);
    }

    /** A configuration starts its server from the package whose version is tried. */
    void pinned() {
        pinned++;
    }

    /** Configurations that start their servers from the package whose version is tried. */
    public long pinnedConfigurations() {
        return pinned;
    }

    void host(String from, String to) {
        hosts.merge(from.equals(to) ? from + " (kept)" : from + " -> " + to, 1L, Long::sum);
    }

    /** Values that may be secrets, and in how many places each was. */
    public Map<Secret, Long> secrets() {
        return secrets;
    }

    /** Places of configurations that hold a mask, a few of them. */
    List<String> masked() {
        var names =
                secrets.keySet().stream()
                        .filter(
                                secret ->
                                        secret.done().equals(MASKED) && !secret.server().isEmpty())
                        .map(each -> each.place() + " " + each.name() + " of " + each.server())
                        .toList();
        if (names.size() <= NAMED) {
            return names;
        }
        var few = new ArrayList<>(names.subList(0, NAMED));
        few.add((names.size() - NAMED) + " more");
        return few;
    }

    /** Hosts of URLs and what became of them, and in how many places each was. */
    public Map<String, Long> hosts() {
        return hosts;
    }
}
