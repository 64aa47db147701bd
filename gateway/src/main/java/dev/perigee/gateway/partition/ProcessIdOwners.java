package dev.perigee.gateway.partition;

import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.config.ServerConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Users of all process ids of the fleet, from the status topic. A process id joins strings, so that
 * those of two users can make the same one, and records are keyed by it: the first one has it,
 * until its status is removed. What is not read yet is not known; two installations that are
 * configured within that moment both start. A million are remembered, as digests of some 100 bytes;
 * what is beyond is not known. Any thread.
 */
public final class ProcessIdOwners {
    /** Stable, for programs. */
    static final String CODE = "process_id_taken";

    private static final int MOST = 1_000_000;

    private final Map<Long, Long> users = new ConcurrentHashMap<>();

    /** A status of the process id says whose it is. */
    public void seen(String processId, String teamId, String userId) {
        if (users.size() < MOST) {
            users.putIfAbsent(digest(processId), user(teamId, userId));
        }
    }

    /** The process id is nobody's any more. */
    public void gone(String processId) {
        users.remove(digest(processId));
    }

    /** Why this cannot be installed; null where it can. */
    @Nullable CommandError refusal(ServerConfig config) {
        var user = users.get(digest(config.processId()));
        return user == null || user == user(config.teamId(), config.userId())
                ? null
                : taken(config);
    }

    static CommandError taken(ServerConfig config) {
        return new CommandError(
                CODE,
                "The process id %s is that of another user's installation: choose slugs and an installation_id that make another one"
                        .formatted(config.processId()));
    }

    private static long user(String teamId, String userId) {
        return digest(teamId.length() + "." + teamId + userId);
    }

    private static long digest(String text) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(sha.digest(text.getBytes(StandardCharsets.UTF_8))).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
