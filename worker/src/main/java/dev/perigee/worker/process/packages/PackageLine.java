package dev.perigee.worker.process.packages;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command line that names exactly one package of a registry and the arguments of its program.
 *
 * @param spec what the package manager is asked to install, such as {@code @scope/name@1.2.3}
 * @param name the package in it
 * @param program which of the package's programs is meant; null for the one that npx would choose
 * @param pinned whether the same spec always means the same version
 * @param arguments what the program is given
 */
record PackageLine(
        PackageManager manager,
        String spec,
        String name,
        @Nullable String program,
        boolean pinned,
        List<String> arguments) {

    PackageLine {
        arguments = List.copyOf(arguments);
    }

    /** The exact version that it asks for, null where it leaves that to the registry. */
    @Nullable String version() {
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
