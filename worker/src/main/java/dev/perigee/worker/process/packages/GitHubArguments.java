package dev.perigee.worker.process.packages;

import dev.perigee.protocol.config.ServerConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Points the arguments of a deployment from GitHub at the commit that is deployed: {@code
 * github:owner/repo} becomes {@code github:owner/repo#sha}, {@code git+https://host/owner/repo}
 * becomes {@code git+https://host/owner/repo@sha}. A reference that such an argument carries
 * already is replaced: the deployed commit is what {@code git_commit_sha} says, and an older one in
 * the arguments would outlive every redeployment. What follows a {@code #} of the second form, such
 * as {@code #subdirectory=server}, stays. Other arguments and other sources are left alone. Pure.
 *
 * <p>Source: seeds/process-management.txt, "GitHub Deployments"; design/decisions.md, 21.
 */
public final class GitHubArguments {
    private static final String SOURCE = "github";
    private static final String SHORT_FORM = "github:";
    private static final String URL_FORM = "git+https://";

    private GitHubArguments() {}

    /** The arguments that the program of this configuration is given. */
    public static List<String> of(ServerConfig config) {
        return of(config.source(), config.gitCommitSha(), config.args());
    }

    static List<String> of(
            @Nullable String source, @Nullable String commit, List<String> arguments) {
        if (!SOURCE.equals(source) || commit == null || commit.isBlank()) {
            return arguments;
        }
        var sha = commit.strip();
        return arguments.stream().map(argument -> pinned(argument, sha)).toList();
    }

    private static String pinned(String argument, String sha) {
        if (argument.startsWith(SHORT_FORM)) {
            int reference = argument.indexOf('#');
            return (reference < 0 ? argument : argument.substring(0, reference)) + '#' + sha;
        }
        return argument.startsWith(URL_FORM) ? pinnedUrl(argument, sha) : argument;
    }

    private static String pinnedUrl(String argument, String sha) {
        int fragment = argument.indexOf('#');
        var url = fragment < 0 ? argument : argument.substring(0, fragment);
        var rest = fragment < 0 ? "" : argument.substring(fragment);
        int path = url.indexOf('/', URL_FORM.length());
        // An @ before the path belongs to a user's name.
        int reference = path < 0 ? -1 : url.indexOf('@', path);
        return (reference < 0 ? url : url.substring(0, reference)) + '@' + sha + rest;
    }
}
