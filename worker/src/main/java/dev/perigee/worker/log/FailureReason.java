package dev.perigee.worker.log;

import dev.perigee.worker.log.StderrLine.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reason of a program's failure, taken from its standard error, in one line for people: the line
 * that says why where one has the form of an explanation, such as {@code Error: Cannot find module
 * …}, and else the latest lines that are no part of a stack trace. The last explanation counts, and
 * one that is no detail of another; npm's own says it first and adds advice. What a script runner
 * or a server says of it afterwards, such as {@code script "start" exited with code 1}, counts only
 * where nobody says more. Without control characters, of at most {@value #MAX_CHARS} characters.
 * Pure.
 *
 * @param text the line, empty when the program said nothing
 * @param certain whether it is an explanation by its form
 */
public record FailureReason(String text, boolean certain) {
    /** The longest reason, in characters. */
    public static final int MAX_CHARS = 640;

    private static final int QUOTED_LINES = 5;
    private static final String ELLIPSIS = "…";

    /**
     * The reason among the latest lines.
     *
     * @param lines of standard error, oldest first, secrets already masked: a reason is cut to its
     *     bound
     */
    public static FailureReason among(List<String> lines) {
        var said = lines.stream().map(StderrLine::of).toList();
        var headline = headline(said);
        return headline != null
                ? new FailureReason(bounded(headline), true)
                : new FailureReason(bounded(quoted(said)), false);
    }

    private static @Nullable String headline(List<StderrLine> lines) {
        String main = null;
        String detail = null;
        boolean summary = true;
        boolean npmSaid = false;
        boolean expected = false;
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            boolean found =
                    switch (line.kind()) {
                        case NOISE, CARET -> false;
                        case HEADLINE, SUMMARY -> !(line.npm() && npmSaid);
                        case SUSPECT, PLAIN -> line.npm() ? !npmSaid : expected && !line.indented();
                    };
            expected = line.kind() == Kind.CARET;
            if (found && line.indented()) {
                detail = line.text();
            } else if (found) {
                npmSaid = line.npm();
                if (summary || line.kind() != Kind.SUMMARY) {
                    summary = line.kind() == Kind.SUMMARY;
                    main = whole(lines, i);
                }
            }
        }
        return summary && detail != null ? detail : main;
    }

    /** A headline that ends in a colon goes on in the next line, and a list up to its end. */
    private static String whole(List<StderrLine> lines, int at) {
        var text = new StringBuilder(lines.get(at).text());
        if (at + 1 < lines.size() && lines.get(at).text().endsWith(":")) {
            text.append(' ').append(lines.get(at + 1).text());
        } else if (lines.get(at).text().endsWith("[")) {
            for (int i = at + 1; i < lines.size() && text.length() <= MAX_CHARS; i++) {
                text.append(' ').append(lines.get(i).text());
                if (!lines.get(i).indented()) {
                    break;
                }
            }
        }
        return text.toString();
    }

    private static String quoted(List<StderrLine> lines) {
        var telling = new ArrayList<>(lines);
        telling.removeIf(line -> line.kind() == Kind.NOISE || line.kind() == Kind.CARET);
        if (telling.isEmpty()) {
            telling.addAll(lines);
        }
        int begin = Math.max(0, telling.size() - QUOTED_LINES);
        for (int i = telling.size() - 1; i >= 0; i--) {
            if (telling.get(i).kind() == Kind.SUSPECT) {
                // A long usage text may follow the one line that matters.
                return i < begin ? telling.get(i).text() : joined(telling, begin);
            }
        }
        return joined(telling, begin);
    }

    /** As many of the latest lines as are within the bound, at least one. */
    private static String joined(List<StderrLine> lines, int begin) {
        var text = lines.isEmpty() ? "" : lines.getLast().text();
        for (int i = lines.size() - 2; i >= begin; i--) {
            var longer = lines.get(i).text() + " | " + text;
            if (longer.length() > MAX_CHARS) {
                return text;
            }
            text = longer;
        }
        return text;
    }

    private static String bounded(String text) {
        if (text.length() <= MAX_CHARS) {
            return text;
        }
        int end = MAX_CHARS - ELLIPSIS.length();
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end)
                + ELLIPSIS;
    }
}
