package dev.perigee.part;

/** Formats of a command's output. */
public enum OutputFormat {
    /** For people: aligned columns, or one line per event. */
    TABLE,
    /** For programs: one JSON document per line. */
    JSON
}
