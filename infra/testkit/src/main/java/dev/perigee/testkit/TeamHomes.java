package dev.perigee.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Homes of one fleet's servers, which are in a team of their own. They are in the workers' cache
 * directory, beside the packages that all fleets of this machine share.
 */
record TeamHomes(String team, Path directory) {
    private static final Logger log = LoggerFactory.getLogger(TeamHomes.class);

    /** Those of a team that no other fleet has. */
    static TeamHomes of(Path cache) {
        var team = "testkit-" + UUID.randomUUID();
        return new TeamHomes(team, cache.resolve("homes").resolve(team));
    }

    /** Removes them, once no server runs. */
    void delete() {
        if (!Files.exists(directory)) {
            return;
        }
        try (var paths = Files.walk(directory)) {
            for (var each : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException | UncheckedIOException e) {
            log.atWarn()
                    .addKeyValue("directory", directory)
                    .setCause(e)
                    .log("Cannot remove the homes of the tests' servers");
        }
    }
}
