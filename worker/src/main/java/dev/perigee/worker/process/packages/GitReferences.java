package dev.perigee.worker.process.packages;

import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Meaning of a branch or tag, by what {@code git ls-remote} says of a repository: a branch goes
 * before a tag of its name, and a tag is the commit that it marks. Pure.
 */
final class GitReferences {
    private static final String HEAD = "HEAD";
    private static final String FULL = "refs/";

    private GitReferences() {}

    /**
     * Names to ask for, the one that counts first.
     *
     * @param reference as it was written; null for the default branch
     */
    static List<String> wanted(@Nullable String reference) {
        if (reference == null || reference.equals(HEAD)) {
            return List.of(HEAD);
        }
        return reference.startsWith(FULL)
                ? List.of(reference + "^{}", reference)
                : List.of(
                        "refs/heads/" + reference,
                        "refs/tags/" + reference + "^{}",
                        "refs/tags/" + reference);
    }

    /** The commit among the lines of an answer; null where there is none of that name. */
    static @Nullable String commit(@Nullable String reference, List<String> lines) {
        var commits = new HashMap<String, String>();
        for (var line : lines) {
            int tab = line.indexOf('\t');
            if (tab > 0 && GitSpec.isCommit(line.substring(0, tab))) {
                commits.putIfAbsent(line.substring(tab + 1).strip(), line.substring(0, tab));
            }
        }
        return wanted(reference).stream()
                .map(commits::get)
                .filter(commit -> commit != null)
                .findFirst()
                .orElse(null);
    }
}
