package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.Tenant;
import java.nio.file.Path;

/** Owner of the home directory that a program gets. No two of them share one. */
public sealed interface Home {

    /** Whose program it is, in logs and in the host name that a jail shows. */
    String owner();

    /** Whose program it is, where all programs share something. */
    Tenant tenant();

    /** An installation's, of one user. It outlives the server's process, on its worker. */
    record OfInstallation(String teamId, String userId, String installationId) implements Home {
        @Override
        public String owner() {
            return teamId;
        }

        @Override
        public Tenant tenant() {
            return new Tenant(teamId, userId);
        }
    }

    /**
     * The worker's own, for programs that it runs on its own account.
     *
     * @param directory exists, and is nobody else's home
     */
    record OfWorker(Path directory) implements Home {
        @Override
        public String owner() {
            return "perigee";
        }

        @Override
        public Tenant tenant() {
            return Tenant.WORKER;
        }
    }

    /**
     * A directory of which nothing is used, any more, for a program that at most empties it:
     * neither what is in it nor a full disk is held against that program.
     *
     * @param directory exists
     */
    record Disused(Path directory) implements Home {
        @Override
        public String owner() {
            return "perigee";
        }

        @Override
        public Tenant tenant() {
            return Tenant.WORKER;
        }
    }
}
