package dev.perigee.worker.process.isolation;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of users of the host, and the same of groups. The first is that of programs which the
 * worker runs on its own account, the others are for homes of installations.
 */
record IdRange(int first, int last) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,10})-([0-9]{1,10})");

    /** By {@code FIRST-LAST}; null where a text is no range of two or more. */
    static @Nullable IdRange parse(String text) {
        var matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        long first = Long.parseLong(matcher.group(1));
        long last = Long.parseLong(matcher.group(2));
        return first > 0 && first < last && last < Integer.MAX_VALUE
                ? new IdRange((int) first, (int) last)
                : null;
    }

    boolean contains(int id) {
        return first <= id && id <= last;
    }

    /** How many homes can have one at the same time. */
    int homes() {
        return last - first;
    }

    @Override
    public String toString() {
        return first + "-" + last;
    }
}
