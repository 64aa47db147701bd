package dev.perigee.testing.docs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Splits a command line as a shell does, where nothing in it needs a shell. */
final class Words {

    /** A line continuation, which a shell removes. */
    private static final String CONTINUED = "\\\n";

    private static final String NEEDS_SHELL = "|&;<>$`*?~(){}[]\\\"=";

    private Words() {}

    /** The words before a comment; null when only a shell can tell what they are. */
    static @Nullable List<String> of(String line) {
        var words = new ArrayList<String>();
        StringBuilder word = null;
        for (int at = 0; at < line.length(); at++) {
            char c = line.charAt(at);
            if (c == '\'') {
                int end = line.indexOf('\'', at + 1);
                if (end < 0) {
                    return null;
                }
                word = word == null ? new StringBuilder() : word;
                word.append(line, at + 1, end);
                at = end;
            } else if (c == ' ') {
                if (word != null) {
                    words.add(word.toString());
                    word = null;
                }
            } else if (c == '#' && word == null) {
                break;
            } else if (line.startsWith(CONTINUED, at)) {
                at++;
            } else if (NEEDS_SHELL.indexOf(c) >= 0 && !(c == '=' && !words.isEmpty())) {
                return null;
            } else {
                word = word == null ? new StringBuilder() : word;
                word.append(c);
            }
        }
        if (word != null) {
            words.add(word.toString());
        }
        return words;
    }
}
