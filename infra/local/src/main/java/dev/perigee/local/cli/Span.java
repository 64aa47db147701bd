package dev.perigee.local.cli;

/**
 * A part of a line, in one of picocli's styles.
 *
 * @param style such as bold or fg(green); empty for none
 * @param text whatever is to be shown; the printer makes it safe
 */
record Span(String style, String text) {
    static Span plain(String text) {
        return new Span("", text);
    }
}
