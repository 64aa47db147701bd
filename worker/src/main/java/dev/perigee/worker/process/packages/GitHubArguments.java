package dev.perigee.worker.process.packages;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.process.isolation.ServerRuntime;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Points the arguments of a deployment from GitHub at the commit that is deployed, in the form that
 * the program reads. npm and all of Node's: {@code github:owner/repo#sha} and {@code
 * git+https://host/owner/repo#sha}. uv, pip and all of Python's: {@code
 * git+https://host/owner/repo@sha}, into which {@code github:owner/repo} is translated, since they
 * refuse it. A reference that such an argument carries already is replaced: the deployed commit is
 * what {@code git_commit_sha} says, and an older one in the arguments would outlive every
 * redeployment. Where no commit is named, {@code git_branch} is put in its place, but into
 * arguments only that carry no reference. Where {@code repository_url} is among the arguments'
 * repositories, others keep what they say: the commit is none of theirs. Other arguments and other
 * sources are left alone. Pure.
 */
public final class GitHubArguments {
    private static final String SOURCE = "github";
    private static final Pattern OF_NODE =
            Pattern.compile("np[mx]|pnp[mx]|yarn|bunx?|node|deno|corepack");
    private static final Pattern OF_PYTHON = Pattern.compile("uvx?|pip[\\d.]*|pipx|python[\\d.]*");

    private GitHubArguments() {}

    /** The arguments that the program of this configuration is given. */
    public static List<String> of(ServerConfig config) {
        var command = config.command();
        if (!SOURCE.equals(config.source()) || command == null) {
            return config.args();
        }
        var reader = reader(command, config.runtime());
        var commit = config.gitCommitSha();
        if (commit != null && !commit.isBlank()) {
            return pinned(config.args(), reader, config.repositoryUrl(), commit.strip());
        }
        var branch = config.gitBranch();
        return branch == null || branch.isBlank()
                ? config.args()
                : onBranch(config.args(), reader, config.repositoryUrl(), branch.strip());
    }

    /** By whose rules the arguments are read: the program says so, or else the configuration. */
    static ServerRuntime reader(String command, @Nullable String configured) {
        var program = command.substring(command.lastIndexOf('/') + 1);
        if (OF_NODE.matcher(program).matches()) {
            return ServerRuntime.NODE;
        }
        return OF_PYTHON.matcher(program).matches()
                ? ServerRuntime.PYTHON
                : ServerRuntime.of(configured, program);
    }

    /** The arguments pointed at a commit, whatever they name. */
    static List<String> pinned(
            List<String> arguments,
            ServerRuntime runtime,
            @Nullable String repository,
            String commit) {
        return at(arguments, runtime, repository, commit, true);
    }

    /** The arguments pointed at a branch where they name nothing themselves. */
    static List<String> onBranch(
            List<String> arguments,
            ServerRuntime runtime,
            @Nullable String repository,
            String branch) {
        return at(arguments, runtime, repository, branch, false);
    }

    private static List<String> at(
            List<String> arguments,
            ServerRuntime runtime,
            @Nullable String repository,
            String target,
            boolean always) {
        boolean named =
                repository != null
                        && arguments.stream()
                                .map(GitReference::parse)
                                .filter(Objects::nonNull)
                                .anyMatch(reference -> reference.isAt(repository));
        return arguments.stream()
                .map(argument -> at(argument, runtime, named ? repository : null, target, always))
                .toList();
    }

    private static String at(
            String argument,
            ServerRuntime runtime,
            @Nullable String only,
            String target,
            boolean always) {
        var reference = GitReference.parse(argument);
        if (reference == null
                || (only != null && !reference.isAt(only))
                || (reference.refers() && !always)) {
            return argument;
        }
        return switch (runtime) {
            case NODE -> reference.forNpm(target);
            case PYTHON -> reference.forPip(target);
        };
    }
}
