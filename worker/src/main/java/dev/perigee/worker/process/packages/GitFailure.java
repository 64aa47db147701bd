package dev.perigee.worker.process.packages;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Failure of git in words for people. Git has one exit code for all of them, and says which it is
 * in its own words only, which this knows in English. Pure.
 */
final class GitFailure {
    private GitFailure() {}

    /**
     * What is wrong and what to do; null where git's words are not known.
     *
     * @param said git's latest lines
     */
    static @Nullable String explained(GitSpec git, List<String> said) {
        var words = String.join("\n", said).toLowerCase(Locale.ROOT);
        if (has(words, "could not read username", "authentication failed", "error: 401")) {
            return "there is no repository %s, or reading it needs credentials: workers fetch repositories that anybody may read; correct its address, or publish it as a package"
                    .formatted(git.url());
        }
        if (has(words, "error: 403")) {
            return "the repository %s is refused to this worker: workers fetch repositories that anybody may read"
                    .formatted(git.url());
        }
        if (has(words, "not our ref", "unadvertised object", "couldn't find remote ref")) {
            return "the repository %s has no commit %s: push it, or correct the commit"
                    .formatted(git.url(), git.reference());
        }
        if (has(
                words,
                "transport 'http' not allowed",
                "protocol \"http\"",
                "not supported or disabled")) {
            return "the repository %s leads to another protocol than https".formatted(git.url());
        }
        if (has(words, "certificate")) {
            return "the certificate of %s is not one that this worker trusts".formatted(git.url());
        }
        if (has(
                words,
                "could not resolve host",
                "failed to connect",
                "couldn't connect",
                "connection refused",
                "connection reset",
                "connection timed out",
                "operation too slow",
                "operation timed out",
                "empty reply",
                "early eof",
                "error: 429",
                "error: 50")) {
            return "the repository %s cannot be reached from this worker: try again later"
                    .formatted(git.url());
        }
        if (has(
                words,
                "not found",
                "not a git repository",
                "not valid: is this a git repository")) {
            return "there is no repository %s that anybody may read: correct its address"
                    .formatted(git.url());
        }
        return null;
    }

    /** No reference of that name is there. */
    static String noReference(GitSpec git) {
        return git.reference() == null
                ? "the repository %s has no default branch: name a branch".formatted(git.url())
                : "the repository %s has no branch or tag '%s': push it, or correct the name"
                        .formatted(git.url(), git.reference());
    }

    private static boolean has(String words, String... any) {
        for (var one : any) {
            if (words.contains(one)) {
                return true;
            }
        }
        return false;
    }
}
