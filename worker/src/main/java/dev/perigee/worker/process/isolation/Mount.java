package dev.perigee.worker.process.isolation;

import java.nio.file.Path;

/**
 * A file or directory of the host that one program gets besides its home.
 *
 * @param host where this worker finds it
 * @param inside where an enclosed program finds it; the same without isolation
 * @param writable whether the program may change it; without isolation it always can
 */
public record Mount(Path host, Path inside, boolean writable) {}
