package dev.perigee.protocol.trace;

/** Text of others in attributes and names of spans: bounded, and of visible characters. Pure. */
public final class SpanText {
    /** Longest text, in characters. */
    public static final int LONGEST = 128;

    private SpanText() {}

    /**
     * The text, cut at {@link #LONGEST} characters; characters that are not visible, halves of
     * pairs among them, become {@code ?}.
     */
    public static String of(String text) {
        int length = Math.min(text.length(), LONGEST);
        var shown = new StringBuilder(length);
        for (int i = 0; i < length; ) {
            int next = text.codePointAt(i);
            int size = Character.charCount(next);
            if (i + size > length || !isVisible(next)) {
                shown.append('?');
            } else {
                shown.appendCodePoint(next);
            }
            i += size;
        }
        return shown.toString();
    }

    private static boolean isVisible(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED ->
                    false;
            default -> true;
        };
    }
}
