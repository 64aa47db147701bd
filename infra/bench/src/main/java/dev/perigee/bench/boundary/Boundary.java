package dev.perigee.bench.boundary;

import java.util.Locale;
import java.util.Map;

/** Kinds of boundary around a server, from none to all. */
public enum Boundary {
    /** The server is the worker's child, with its rights. */
    NO_JAIL("no jail"),
    /** A jail with the host's network, that runs as the worker's user. */
    HOST_NETWORK("jail, host's network"),
    /** What servers have unless a worker is told otherwise. */
    FULL("full boundary");

    private static final String MODE = "isolation.mode";
    private static final String BUBBLEWRAP = "bubblewrap";

    private final String label;

    Boundary(String label) {
        this.label = label;
    }

    /** For people. */
    String label() {
        return label;
    }

    /** For programs. */
    String field() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Of a worker whose servers have it. */
    Map<String, String> settings() {
        return switch (this) {
            case NO_JAIL -> Map.of(MODE, "none");
            case HOST_NETWORK ->
                    Map.of(MODE, BUBBLEWRAP, "isolation.network", "true", "isolation.ids", "none");
            case FULL -> Map.of(MODE, BUBBLEWRAP);
        };
    }
}
