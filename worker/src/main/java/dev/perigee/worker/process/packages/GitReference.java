package dev.perigee.worker.process.packages;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A repository as an argument names it, with what is around it: {@code github:owner/repo} or {@code
 * git+https://host/owner/repo.git} (also {@code git+ssh}, {@code git+file} and so on), alone or
 * behind {@code --option=}, {@code name@} or {@code name @ }, with the branch, tag or commit that
 * it names. Pure.
 *
 * @param prefix what precedes the repository in the argument
 * @param repository without reference
 * @param fragment what follows the {@code #}, without it; empty when there is none
 * @param refers whether the argument itself names a branch, tag or commit
 */
record GitReference(String prefix, String repository, String fragment, boolean refers) {
    private static final String SHORT_FORM = "github:";
    private static final Pattern ARGUMENT =
            Pattern.compile(
                    "(|-{1,2}[\\w-]+=|(?:@[\\w.-]+/)?[\\w.-]+(?:\\[[\\w., -]*\\])?(?:@| @ ?))"
                            + "(github:[^\\s/#]+/[^\\s#]+|git\\+[a-z]+://[^\\s#]+)(?:#(.*))?");

    /** A reference at the end, as pip writes it; an {@code @} that begins a name is none. */
    private static final Pattern AT = Pattern.compile("(?<=[^/@])@[^@]*$");

    /** The same of a short form, where an {@code @} before the slash belongs to credentials. */
    private static final Pattern SHORT_AT = Pattern.compile("(?<=[^/@])@[^@/]*$");

    /** Where in a repository the package is, as npm writes it. */
    private static final Pattern NPM_PATH = Pattern.compile("::(path:[^:]+)|^(path:[^:]+)");

    private static final Pattern ADDRESS =
            Pattern.compile("(?:github:|(?:git\\+)?[a-z]+://(?:[^/@]*@)?)(.*?)(?:\\.git)?/*");

    /** Null when the argument names no repository. */
    static @Nullable GitReference parse(String argument) {
        var parts = ARGUMENT.matcher(argument);
        if (!parts.matches()) {
            return null;
        }
        var fragment = parts.group(3) == null ? "" : parts.group(3);
        var repository = unreferenced(parts.group(2));
        boolean refers =
                !repository.equals(parts.group(2))
                        || !(fragment.isEmpty()
                                || fragment.startsWith("path:")
                                || fragment.indexOf('=') >= 0);
        return new GitReference(parts.group(1), repository, fragment, refers);
    }

    private static String unreferenced(String repository) {
        if (repository.startsWith(SHORT_FORM)) {
            return SHORT_AT.matcher(repository).replaceFirst("");
        }
        int path = repository.indexOf('/', repository.indexOf("://") + 3);
        return path < 0 // An @ before the path belongs to a user's name.
                ? repository
                : repository.substring(0, path)
                        + AT.matcher(repository.substring(path)).replaceFirst("");
    }

    /** The argument for npm and its like, pointed at a commit or another reference. */
    String forNpm(String commit) {
        var path = NPM_PATH.matcher(fragment);
        var where = "";
        if (path.find()) {
            where = "::" + (path.group(1) == null ? path.group(2) : path.group(1));
        }
        return prefix + repository + '#' + commit + where;
    }

    /**
     * The argument for pip, uv and their like, pointed at a commit or another reference. They have
     * no short form; what follows the {@code #} stays when it is theirs, such as {@code
     * subdirectory=server}.
     */
    String forPip(String commit) {
        var url = repository.startsWith(SHORT_FORM) ? longForm() : repository;
        return prefix + url + '@' + commit + (fragment.indexOf('=') < 0 ? "" : '#' + fragment);
    }

    private String longForm() {
        var place = repository.substring(SHORT_FORM.length());
        int credentials = place.indexOf('@') + 1;
        return "git+https://%sgithub.com/%s"
                .formatted(place.substring(0, credentials), place.substring(credentials));
    }

    /** Whether this is the repository at an address, however either is written. */
    boolean isAt(String address) {
        return plain(repository).equals(plain(address.strip()));
    }

    private static String plain(String address) {
        var parts = ADDRESS.matcher(address.toLowerCase(Locale.ROOT));
        var place = parts.matches() ? parts.group(1) : address;
        return address.startsWith(SHORT_FORM) ? "github.com/" + place : place;
    }
}
