package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import java.util.ArrayList;
import java.util.List;

/**
 * Words of a line, as a POSIX shell splits it: white space between them, quotes of both kinds, a
 * backslash before one character, and remarks behind #. Nothing is expanded.
 */
final class ShellWords {
    private static final char NONE = 0;

    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private char quote = NONE;

    private ShellWords() {}

    /**
     * The words of a line, none of an empty one.
     *
     * @throws CliException when a quote is open at its end, or nothing follows a backslash
     */
    static List<String> of(String line) {
        var split = new ShellWords();
        boolean escaped = false;
        for (int at = 0; at < line.length(); at++) {
            char each = line.charAt(at);
            if (escaped) {
                split.escaped(each);
                escaped = false;
            } else if (each == '\\' && split.quote != '\'') {
                escaped = true;
            } else if (each == '#' && !split.inWord) {
                break;
            } else {
                split.take(each);
            }
        }
        if (escaped || split.quote != NONE) {
            throw CliException.usage(
                    escaped
                            ? "Nothing follows the backslash at the end of the line."
                            : "The quote " + split.quote + " is not closed.");
        }
        split.end();
        return split.words;
    }

    /** Within double quotes a backslash is for quotes and itself only. */
    private void escaped(char each) {
        if (quote == '"' && each != '"' && each != '\\') {
            word.append('\\');
        }
        add(each);
    }

    private void take(char each) {
        if (quote == NONE && (each == '\'' || each == '"')) {
            quote = each;
            inWord = true;
        } else if (each == quote) {
            quote = NONE;
        } else if (quote == NONE && Character.isWhitespace(each)) {
            end();
        } else {
            add(each);
        }
    }

    private void add(char each) {
        word.append(each);
        inWord = true;
    }

    private void end() {
        if (inWord) {
            words.add(word.toString());
            word.setLength(0);
            inWord = false;
        }
    }
}
