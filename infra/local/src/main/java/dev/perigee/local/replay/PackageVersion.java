package dev.perigee.local.replay;

import java.util.regex.Pattern;

/**
 * A version of a package that servers are started from, in place of whatever version the
 * configurations name. Pure.
 *
 * @param name as npm and PyPI have it, {@code @scope/name} or {@code name}
 */
public record PackageVersion(String name, String version) {
    private static final Pattern NAME =
            Pattern.compile("(?:@[A-Za-z0-9~_][A-Za-z0-9._~-]*/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*");
    private static final Pattern VERSION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.+_-]*");
    private static final int LONGEST = 214;

    /** Whether it may be a package's name; no option of a program and no path is. */
    public static boolean isName(String text) {
        return text.length() <= LONGEST && NAME.matcher(text).matches();
    }

    /** Whether it may be a version. */
    public static boolean isVersion(String text) {
        return text.length() <= LONGEST && VERSION.matcher(text).matches();
    }

    /** Whether an argument names this package, of whatever version. */
    boolean isIn(String argument) {
        return argument.equals(name)
                || argument.startsWith(name + "@")
                || argument.startsWith(name + "==");
    }

    /** An argument with this version in the place of its own; others as they are. */
    String in(String argument) {
        if (!isIn(argument)) {
            return argument;
        }
        return name + (argument.startsWith(name + "==") ? "==" : "@") + version;
    }
}
