package dev.perigee.part;

/**
 * A part of a line, in one of picocli's styles.
 *
 * @param style such as bold or fg(green); empty for none
 * @param text whatever is to be shown; the printer makes it safe
 */
public record Span(String style, String text) {
    public static Span plain(String text) {
        return new Span("", text);
    }
}
