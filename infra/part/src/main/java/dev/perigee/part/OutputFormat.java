package dev.perigee.part;

/** How a command prints what it found. */
public enum OutputFormat {
    /** For people: aligned columns, or one line per event. */
    TABLE,
    /** For programs: one JSON document per line. */
    JSON
}
