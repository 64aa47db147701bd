package dev.perigee.local.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that name an installation. */
final class InstallationOptions {
    @Option(names = "--team", paramLabel = "ID", required = true, description = "The team's id.")
    private String team = "";

    @Option(
            names = "--user",
            paramLabel = "ID",
            description = "The user's id (default: every user of the installation).")
    private @Nullable String user;

    @Parameters(paramLabel = "INSTALLATION", description = "The installation's id.")
    private String installation = "";

    String team() {
        return team;
    }

    @Nullable String user() {
        return user;
    }

    String installation() {
        return installation;
    }
}
