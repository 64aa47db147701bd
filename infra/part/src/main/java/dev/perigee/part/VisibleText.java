package dev.perigee.part;

/**
 * Text of foreign origin as it may be shown: what a terminal obeys or reorders instead of drawing
 * is written as its number, as JSON writes it: {@code \u001b}. These are control, format and bidi
 * characters, line separators, halves of characters, and characters that are drawn as nothing
 * though they count as letters, marks or symbols: two names would look the same. Of marks that
 * combine with a character, at most {@link #MAX_MARKS} stay. The two joiners that scripts and emoji
 * need stay. Pure.
 */
public final class VisibleText {
    /** Combining marks in a row that are still text; more of them only cover other lines. */
    public static final int MAX_MARKS = 8;

    private static final int NON_JOINER = 0x200C;
    private static final int JOINER = 0x200D;

    private VisibleText() {}

    /** The text on one line: its line breaks and tabs are written out, too. */
    public static String line(String text) {
        return visible(text, false);
    }

    /** The text with the line breaks and tabs that it has. */
    public static String block(String text) {
        return visible(text.replace("\r\n", "\n"), true);
    }

    /**
     * The same JSON document on one line. What is written as its number stands in strings only, so
     * that a reader of the JSON gets what was there.
     */
    public static String json(String document) {
        return line(document.replace('\n', ' ').replace('\r', ' ').replace('\t', ' '));
    }

    private static String visible(String text, boolean layout) {
        if (text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            return text;
        }
        var shown = new StringBuilder(text.length() + 32);
        int marks = 0;
        for (int at = 0; at < text.length(); ) {
            int character = text.codePointAt(at);
            at += Character.charCount(character);
            marks = isMark(character) ? marks + 1 : 0;
            var stays = layout && (character == '\n' || character == '\t');
            if (!stays && (isObeyed(character) || marks > MAX_MARKS)) {
                write(character, shown);
            } else {
                shown.appendCodePoint(character);
            }
        }
        return shown.toString();
    }

    private static boolean isObeyed(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    true;
            case Character.FORMAT -> character != JOINER && character != NON_JOINER;
            case Character.UNASSIGNED -> isReservedForNothing(character);
            default -> isBlank(character);
        };
    }

    /** The fillers of Hangul, vowels of Khmer that have no shape, and the like. */
    private static boolean isBlank(int character) {
        return switch (character) {
            case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x1D159 -> true;
            default -> false;
        };
    }

    /** What Unicode keeps for characters that are not drawn. */
    private static boolean isReservedForNothing(int character) {
        return character == 0x2065
                || (character >= 0xFFF0 && character <= 0xFFF8)
                || (character >= 0xE0000 && character <= 0xE0FFF);
    }

    private static boolean isMark(int character) {
        int type = Character.getType(character);
        return type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK;
    }

    private static void write(int character, StringBuilder shown) {
        switch (character) {
            case '\n' -> shown.append("\\n");
            case '\r' -> shown.append("\\r");
            case '\t' -> shown.append("\\t");
            default -> {
                for (var half : Character.toChars(character)) {
                    shown.append("\\u%04x".formatted((int) half));
                }
            }
        }
    }
}
