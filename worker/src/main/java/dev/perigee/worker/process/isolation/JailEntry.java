package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * First step of a jail, which holds for everything in it: it makes itself the first that the kernel
 * kills for want of memory, before the worker and everything else of the machine, and joins its
 * control group, without which it does not start. Raising the score needs no privilege; no program
 * in the jail can lower it again, since its {@code /proc} is read-only. It gives way to the worker
 * where processors are busy. Then it becomes a user of its own, and takes the limits of what the
 * kernel counts for a user.
 *
 * <p>With a network of its own it makes that too, and gives its listeners to the worker: what the
 * program in the jail finds is not for it to change, since it is of another user namespace.
 *
 * <p>A script of Perl, which every Debian has: it takes few milliseconds, and what it does in place
 * of the worker only a process of one thread may do.
 *
 * @param perl where perl is
 * @param script where jails find it
 * @param identities as whom jails run
 * @param quotas of each jail
 */
record JailEntry(Path perl, Path script, Identities identities, Quotas quotas) {
    private static final String RESOURCE = "jail-entry.pl";

    /**
     * Writes the script.
     *
     * @param directory that no server sees or can write to
     * @throws UncheckedIOException when it cannot be written
     */
    static JailEntry write(Path perl, Path directory, Identities identities, Quotas quotas) {
        try (var script = JailEntry.class.getResourceAsStream(RESOURCE)) {
            var text = Objects.requireNonNull(script, RESOURCE).readAllBytes();
            var file = SyscallFiles.write(directory.resolve(RESOURCE), text);
            return new JailEntry(perl, file, identities, quotas);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "What jails begin with cannot be written to " + directory, e);
        }
    }

    /** That of the program, and what the script takes away again: it complains about no locale. */
    static Map<String, String> environment(Map<String, String> program) {
        var environment = new HashMap<>(program);
        environment.put("PERL_BADLANG", "0");
        return environment;
    }

    /** What is not enforced, and why. */
    List<String> gaps() {
        var gaps = new ArrayList<>(identities.gaps());
        if (identities.sharesQuotas() && quotas.servers() < Quotas.MANY) {
            gaps.add(
                    "a part of inotify for more than %d servers: sysctl -w fs.inotify.max_user_instances=%d"
                            .formatted(quotas.servers(), Quotas.ENOUGH));
        }
        return gaps;
    }

    /**
     * The command that runs a jail's command so.
     *
     * @param group its control group, null without one
     * @param identity whom it becomes
     * @param network what the script is told of a network of its own; empty without one
     */
    List<String> command(
            @Nullable Path group, HostIdentity identity, List<String> network, List<String> jail) {
        var words = new ArrayList<>(List.of(perl.toString(), script.toString()));
        if (group != null) {
            words.add("group=" + group.resolve("cgroup.procs"));
        }
        words.addAll(identity.words());
        words.addAll(quotas.words());
        words.addAll(network);
        words.add("--");
        words.addAll(jail);
        return words;
    }
}
