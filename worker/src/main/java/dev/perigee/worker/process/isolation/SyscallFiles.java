package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;

/**
 * The filter of system calls, where the programs that make jails read it.
 *
 * @param instructions for bubblewrap
 * @param policy for nsjail
 */
record SyscallFiles(Path instructions, Path policy) {
    /**
     * Writes them for this machine.
     *
     * @param directory that no server sees or can write to
     * @throws IllegalStateException when there is no list for it; the message says what to do
     * @throws UncheckedIOException when they cannot be written
     */
    static SyscallFiles write(Path directory) {
        var machine = ProcessorArchitecture.of(System.getProperty("os.arch"));
        var filter = new SyscallFilter(machine);
        try {
            return new SyscallFiles(
                    write(directory.resolve("syscalls.bpf"), filter.instructions()),
                    write(
                            directory.resolve("syscalls.kafel"),
                            filter.policy().getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The list of system calls cannot be written to " + directory, e);
        }
    }

    /** Complete at every moment: jails may be starting that read it, as whatever user they have. */
    static Path write(Path file, byte[] content) throws IOException {
        var draft = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
        Files.write(draft, content);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
        return Files.move(
                draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
