package dev.perigee.worker.process.packages;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A package in a git repository that anybody may read over HTTPS. Nothing in it can be taken for an
 * option, another transport, a pattern or a way out of the repository; what could is no such
 * package. Pure.
 *
 * @param url {@code https://host/path}, without credentials
 * @param reference a branch, a tag, or a commit by all of its 40 digits; null for the default
 *     branch
 * @param path the directory of the package in the repository; empty for the repository itself
 */
record GitSpec(String url, @Nullable String reference, String path) {
    private static final int LONGEST = 500;
    private static final String GITHUB = "https://github.com/";
    private static final String PART = "[A-Za-z0-9_~.][A-Za-z0-9._~+-]*";
    private static final Pattern SHORT =
            Pattern.compile("(?:github:)?([A-Za-z0-9_][A-Za-z0-9_.-]*/%1$s)".formatted(PART));
    private static final Pattern LONG =
            Pattern.compile(
                    "git\\+(https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?(?:/%1$s)+)"
                            .formatted(PART));
    private static final Pattern PATH = Pattern.compile("%1$s(?:/%1$s)*".formatted(PART));
    private static final Pattern NPM_FRAGMENT =
            Pattern.compile("(?!path:)([^:]*)(?:::path:(.*))?|path:(.*)");
    private static final Pattern REFERENCE = Pattern.compile("[A-Za-z0-9_@][A-Za-z0-9._/@+-]*");

    /** What git refuses in the name of a branch or tag. */
    private static final Pattern NO_REFERENCE =
            Pattern.compile(".*(?:\\.\\.|//|/\\.|@\\{).*|@|.*(?:[/.]|\\.lock)");

    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    /** Perhaps a part of a commit's digits, which a server cannot be asked for. */
    private static final Pattern PART_OF_COMMIT = Pattern.compile("[0-9a-f]{4,39}");

    private static final int SHOWN_DIGITS = 12;

    /**
     * Reads what npm is asked to install: {@code github:owner/repo}, {@code owner/repo} or {@code
     * git+https://host/path}, with {@code #reference}, {@code #path:directory} or both, joined by
     * {@code ::}. Null when it is anything else.
     */
    static @Nullable GitSpec ofNpm(String spec) {
        int hash = spec.indexOf('#');
        var repository = url(hash < 0 ? spec : spec.substring(0, hash), true);
        var fragment = NPM_FRAGMENT.matcher(hash < 0 ? "" : spec.substring(hash + 1));
        if (repository == null || !fragment.matches()) {
            return null;
        }
        var path = fragment.group(2) == null ? fragment.group(3) : fragment.group(2);
        return of(repository, fragment.group(1), path);
    }

    /**
     * Reads what uv is asked to install: {@code git+https://host/path}, with {@code @reference},
     * {@code #subdirectory=directory} or both. Null when it is anything else.
     */
    static @Nullable GitSpec ofUv(String requirement) {
        int hash = requirement.indexOf('#');
        var fragment = hash < 0 ? "" : requirement.substring(hash + 1);
        if (hash >= 0 && !fragment.startsWith("subdirectory=")) {
            return null;
        }
        var place = hash < 0 ? requirement : requirement.substring(0, hash);
        int at = place.indexOf('@');
        var repository = url(at < 0 ? place : place.substring(0, at), false);
        return repository == null || at == place.length() - 1
                ? null
                : of(
                        repository,
                        at < 0 ? null : place.substring(at + 1),
                        hash < 0 ? null : fragment.substring("subdirectory=".length()));
    }

    private static @Nullable String url(String repository, boolean shortToo) {
        var whole = LONG.matcher(repository);
        if (whole.matches()) {
            return whole.group(1);
        }
        var brief = SHORT.matcher(repository);
        return shortToo && brief.matches() ? GITHUB + suffixed(brief.group(1)) : null;
    }

    private static String suffixed(String repository) {
        return repository.endsWith(".git") ? repository : repository + ".git";
    }

    /** An empty reference stands for none in npm's form only; a null path for none. */
    private static @Nullable GitSpec of(
            String url, @Nullable String reference, @Nullable String path) {
        var named = reference == null || reference.isEmpty() ? null : reference;
        var directory = path == null ? "" : path;
        boolean whole = path == null || PATH.matcher(path).matches();
        if (url.length() > LONGEST
                || !whole
                || directory.length() > LONGEST
                || leaves(url)
                || leaves(directory)
                || (named != null && !isReference(named))) {
            return null;
        }
        var lower = named == null ? null : named.toLowerCase(Locale.ROOT);
        return new GitSpec(
                url, lower != null && COMMIT.matcher(lower).matches() ? lower : named, directory);
    }

    private static boolean isReference(String name) {
        return name.length() <= LONGEST
                && REFERENCE.matcher(name).matches()
                && !NO_REFERENCE.matcher(name).matches()
                && !PART_OF_COMMIT.matcher(name).matches();
    }

    /** Whether a part of it leads to another directory than it names, or to git's own. */
    private static boolean leaves(String path) {
        for (var part : path.split("/", -1)) {
            if (part.equals(".") || part.equals("..") || part.equalsIgnoreCase(".git")) {
                return true;
            }
        }
        return false;
    }

    /** Whether it always means the same files. */
    boolean isCommit() {
        return reference != null && COMMIT.matcher(reference).matches();
    }

    /** Whether this is a commit by all of its digits. */
    static boolean isCommit(String text) {
        return COMMIT.matcher(text).matches();
    }

    /** The same package as this commit has it. */
    GitSpec at(String commit) {
        return new GitSpec(url, commit, path);
    }

    /** Its commit or other reference, in a length for people. */
    String brief() {
        if (reference == null) {
            return "HEAD";
        }
        return isCommit() ? reference.substring(0, SHOWN_DIGITS) : reference;
    }

    /** The repository as operators name it: {@code github.com/owner/repo}. */
    String repository() {
        var place = url.substring("https://".length());
        int path = place.indexOf('/');
        var host = place.substring(0, path).toLowerCase(Locale.ROOT);
        var rest = place.substring(path);
        return host + (rest.endsWith(".git") ? rest.substring(0, rest.length() - 4) : rest);
    }

    /** What a package in it is probably called. */
    String guessedName() {
        var place = path.isEmpty() ? repository() : path;
        return place.substring(place.lastIndexOf('/') + 1);
    }

    /** Whether it is among repositories, of which {@code host/owner/*} means all of an owner. */
    boolean isAmong(Iterable<String> repositories) {
        var own = repository();
        for (var entry : repositories) {
            boolean all = entry.endsWith("/*");
            if (all ? own.startsWith(entry.substring(0, entry.length() - 1)) : own.equals(entry)) {
                return true;
            }
        }
        return false;
    }

    /** The same for every way of writing it. */
    @Override
    public String toString() {
        return url + '#' + (reference == null ? "" : reference) + "::" + path;
    }
}
