package dev.perigee.worker.log;

import java.util.ArrayDeque;
import java.util.List;

/**
 * The latest lines of standard error, to explain a failure: at most so many lines and characters,
 * the latest line whatever its length. Of consecutive stack frames only the first is kept, so that
 * a deep stack does not displace the line above it. Not thread-safe.
 */
public final class StderrTail {
    private static final int MAX_CHARS = 8 * 1024;

    private final int maxLines;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private int chars;

    /** A tail of at most this many lines, at least one. */
    public StderrTail(int maxLines) {
        this.maxLines = maxLines;
    }

    /** Takes the next line. */
    public void add(String line) {
        if (!lines.isEmpty() && isFrame(line) && isFrame(lines.getLast())) {
            return;
        }
        lines.add(line);
        chars += line.length();
        while (lines.size() > 1 && (lines.size() > maxLines || chars > MAX_CHARS)) {
            chars -= lines.remove().length();
        }
    }

    /** What is kept, oldest first. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** Of JavaScript and Java, whose stacks are long and begin with what happened. */
    private static boolean isFrame(String line) {
        return Character.isWhitespace(line.charAt(0)) && line.strip().startsWith("at ");
    }
}
