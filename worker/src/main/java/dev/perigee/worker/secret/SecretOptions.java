package dev.perigee.worker.secret;

import java.nio.file.Path;

/** Options of secrets by reference; {@link SecretSettings} has the keys and explains each. */
public record SecretOptions(Path directory) {}
