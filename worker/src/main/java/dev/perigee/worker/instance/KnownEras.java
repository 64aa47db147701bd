package dev.perigee.worker.instance;

import dev.perigee.protocol.json.Json;
import dev.perigee.worker.mcp.Era;
import dev.perigee.worker.process.isolation.Mount;
import dev.perigee.worker.process.isolation.ServerProgram;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The eras of the programs that a worker started, by team and program: a package as it was
 * prepared, thus with its version, or else the command line. Of digests, since arguments may hold
 * secrets. The {@value #MOST} last used are known. A wrong one costs a start one more question.
 * Safe for use by any thread.
 */
final class KnownEras {
    private static final int MOST = 10_000;

    private final Map<String, Era> eras =
            new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Era> eldest) {
                    return size() > MOST;
                }
            };

    private record Named(String teamId, List<String> command, List<String> mounts) {}

    /** The name under which a program's era is kept. */
    static String key(String teamId, ServerProgram program) {
        var mounts = program.mounts().stream().map(Mount::toString).toList();
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of()
                    .formatHex(
                            sha.digest(Json.write(new Named(teamId, program.command(), mounts))));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }

    /** Null where it is not known. */
    synchronized @Nullable Era of(String key) {
        return eras.get(key);
    }

    synchronized void note(String key, Era era) {
        eras.put(key, era);
    }
}
