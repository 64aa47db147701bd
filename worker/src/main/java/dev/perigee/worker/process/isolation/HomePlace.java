package dev.perigee.worker.process.isolation;

import java.nio.file.Path;

/**
 * One home directory under two names.
 *
 * @param host where this worker finds it
 * @param inside where an enclosed program finds it; the same without isolation
 */
public record HomePlace(Path host, Path inside) {}
