package dev.perigee.testing.docs;

import java.util.regex.Pattern;

/**
 * One command line of a page, as it is to be pasted. A comment in it may say {@code exits 2}, where
 * it is not 0, and {@code until Ctrl-C}, where it does not end by itself.
 *
 * @param line where it begins, from 1
 */
record Step(String page, int line, String text) {

    private static final Pattern EXITS = Pattern.compile("#.*\\bexits (\\d+)");
    private static final Pattern ENDLESS = Pattern.compile("#.*\\buntil Ctrl-C");

    int exitCode() {
        var declared = EXITS.matcher(text);
        return declared.find() ? Integer.parseInt(declared.group(1)) : 0;
    }

    boolean endless() {
        return ENDLESS.matcher(text).find();
    }

    @Override
    public String toString() {
        return page + ":" + line + " " + text;
    }
}
