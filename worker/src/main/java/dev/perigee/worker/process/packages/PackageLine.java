package dev.perigee.worker.process.packages;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command line that names exactly one package of a registry or a repository, and the arguments of
 * its program.
 *
 * @param spec what the package manager is asked to install, such as {@code @scope/name@1.2.3}
 * @param name the package in it; of a repository a guess, until {@link #named} says what it has
 * @param program which of the package's programs is meant; null for the one that npx would choose
 * @param pinned whether the same spec always means the same version
 * @param arguments what the program is given
 * @param git the repository that the package is in, null for one of a registry
 */
record PackageLine(
        PackageManager manager,
        String spec,
        String name,
        @Nullable String program,
        boolean pinned,
        List<String> arguments,
        @Nullable GitSpec git) {

    PackageLine {
        arguments = List.copyOf(arguments);
    }

    /** A package in a repository. */
    static PackageLine of(
            PackageManager manager,
            String spec,
            GitSpec git,
            @Nullable String program,
            List<String> arguments) {
        return new PackageLine(
                manager, spec, git.guessedName(), program, git.isCommit(), arguments, git);
    }

    /** The same of a package that turned out to be called so. */
    PackageLine named(String actual) {
        return new PackageLine(manager, spec, actual, program, pinned, arguments, git);
    }

    /** The same of the package as this commit has it. */
    PackageLine at(GitSpec commit) {
        return new PackageLine(manager, spec, name, program, commit.isCommit(), arguments, commit);
    }

    /** The same for every way of writing the same package. */
    String identity() {
        return git == null ? spec : git.toString();
    }

    /** The exact version that it asks for, null where it leaves that to the registry. */
    @Nullable String version() {
        if (git != null) {
            return pinned ? git.brief() : null;
        }
        if (!pinned) {
            return null;
        }
        int begin = Math.max(spec.lastIndexOf('@'), spec.lastIndexOf('=')) + 1;
        return spec.substring(spec.startsWith("v", begin) ? begin + 1 : begin).strip();
    }

    @Override
    public String toString() {
        return "PackageLine[%s %s]".formatted(manager.wireName(), spec);
    }
}
