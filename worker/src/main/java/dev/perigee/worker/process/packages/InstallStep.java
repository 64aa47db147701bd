package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.isolation.ServerProgram;
import org.jspecify.annotations.Nullable;

/**
 * One enclosed run on the way to an installation.
 *
 * @param tool what runs, for people
 * @param source makes the program, after the steps before it have ended
 */
record InstallStep(String tool, Source source) {
    /** Git, whose failures have explanations of their own. */
    static final String GIT = "git";

    /** Makes a step's program; may look at what earlier steps left. */
    interface Source {
        /**
         * The program; null where there is nothing to do.
         *
         * @throws PackageException where what earlier steps left is no package
         */
        @Nullable ServerProgram program() throws PackageException;
    }
}
