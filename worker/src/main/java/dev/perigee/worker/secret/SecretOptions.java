package dev.perigee.worker.secret;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of secrets by reference; {@link SecretSettings} has the keys and explains each.
 *
 * @param command null where files provide
 */
public record SecretOptions(
        Path directory,
        @Nullable Path command,
        Duration commandTimeout,
        int commandParallel,
        Duration commandReuse) {}
