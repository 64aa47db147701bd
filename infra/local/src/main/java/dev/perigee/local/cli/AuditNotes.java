package dev.perigee.local.cli;

import dev.perigee.client.AuditTrail;
import dev.perigee.client.KafkaConnection;
import dev.perigee.part.CliException;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.audit.AuditTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Audit records of one run of the command line, under the name that the system has for its user.
 * That proves nothing: Kafka's rights decide who may act.
 */
final class AuditNotes {
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final int MAX_NAME = 200;

    private final AuditTrail trail;
    private final AuditAction action;
    private final @Nullable String reason;
    private final String requestId = newId();
    private final AuditRecord.Actor actor =
            new AuditRecord.Actor(
                    name(System.getProperty("user.name")), null, "cli", name(hostName()));

    /**
     * @param reason null for none
     * @throws CliException when the reason is too long, or more than one line
     */
    AuditNotes(KafkaConnection connection, AuditAction action, @Nullable String reason) {
        if (reason != null
                && (reason.length() > AuditRecord.MAX_REASON
                        || reason.chars().anyMatch(Character::isISOControl))) {
            throw CliException.usage(
                    "A reason is one line of at most " + AuditRecord.MAX_REASON + " characters");
        }
        this.trail = new AuditTrail(connection);
        this.action = action;
        this.reason = reason == null || reason.isBlank() ? null : reason.strip();
    }

    /** Record of an action that is about to be done. */
    AuditRecord of(String actionId, AuditTarget target) {
        return AuditRecord.accepted(
                actionId, requestId, action, target, actor, reason, Instant.now());
    }

    /** Writes records; where the fleet has no audit topic nothing happens. */
    void write(List<AuditRecord> records) throws InterruptedException {
        trail.write(records);
    }

    /** Writes the record of one action without a command. */
    void write(AuditTarget target) throws InterruptedException {
        write(List.of(of(newId(), target)));
    }

    private static String newId() {
        return "cli-" + UUID.randomUUID();
    }

    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static String name(@Nullable String found) {
        return found == null || found.isBlank()
                ? "unknown"
                : found.substring(0, Math.min(MAX_NAME, found.length()));
    }
}
