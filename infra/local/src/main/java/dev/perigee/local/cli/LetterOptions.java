package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.gateway.deadletter.LetterFilter;
import dev.perigee.part.CliException;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.audit.AuditTarget;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.RecordKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which dead letters are meant. */
final class LetterOptions {
    @Option(
            names = "--reason",
            paramLabel = "REASON",
            split = ",",
            description =
                    "Only these: malformed, invalid, misrouted, too_large, forbidden_reply_topic,"
                            + " unsupported.")
    private List<String> reasons = List.of();

    @Option(names = "--key", paramLabel = "TEAM/USER", description = "Only this key.")
    private @Nullable String key;

    @Option(names = "--team", paramLabel = "ID", description = "Only this team.")
    private @Nullable String team;

    @Option(names = "--user", paramLabel = "ID", description = "Only this user.")
    private @Nullable String user;

    @Option(
            names = "--origin",
            paramLabel = "TOPIC",
            description = "Only from this topic: commands or tool-requests.")
    private @Nullable String origin;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = TimeOption.class,
            description = "Only those written since, such as 2h or 2026-11-20T10:00:00Z.")
    private @Nullable Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = TimeOption.class,
            description = "Only those written before.")
    private @Nullable Instant until;

    LetterFilter filter(KafkaConnection connection) {
        return filter(connection, Set.of());
    }

    LetterFilter filter(KafkaConnection connection, Set<String> places) {
        var known =
                Arrays.stream(DeadLetterReason.values())
                        .map(DeadLetterReason::code)
                        .collect(Collectors.toSet());
        for (var reason : reasons) {
            if (!known.contains(reason)) {
                throw CliException.usage(
                        "--reason " + reason + " is none: see --help for those there are");
            }
        }
        var topic =
                origin == null || connection.names().topic(origin) != null
                        ? origin
                        : connection.names().prefix() + origin;
        return new LetterFilter(Set.copyOf(reasons), key, team, user, topic, since, until, places);
    }

    /**
     * The chosen dead letters for the audit topic, with team and user, so that erasure finds them.
     */
    AuditTarget target(List<String> offsets, boolean all, boolean again) {
        var named = named();
        return AuditTarget.selection(
                team == null && named != null ? named.teamId() : team,
                user == null && named != null ? named.userId() : user,
                text(offsets, all, again));
    }

    /** Team and user of the record key in {@code --key}, null where it has none. */
    private @Nullable RecordKey named() {
        try {
            return key == null ? null : RecordKey.parse(key.getBytes(StandardCharsets.UTF_8));
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    private String text(List<String> offsets, boolean all, boolean again) {
        var parts = new ArrayList<String>();
        reasons.forEach(each -> parts.add("--reason " + each));
        add(parts, "--key", key);
        add(parts, "--team", team);
        add(parts, "--user", user);
        add(parts, "--origin", origin);
        add(parts, "--since", since);
        add(parts, "--until", until);
        offsets.forEach(each -> parts.add("--offset " + each));
        if (all) {
            parts.add("--all");
        }
        if (again) {
            parts.add("--again");
        }
        var text = String.join(" ", parts);
        return text.substring(0, Math.min(AuditRecord.MAX_TEXT, text.length()));
    }

    private static void add(List<String> parts, String option, @Nullable Object value) {
        if (value != null) {
            parts.add(option + " " + value);
        }
    }

    /** Whether nothing narrows the choice. */
    boolean isAny() {
        return reasons.isEmpty()
                && key == null
                && team == null
                && user == null
                && origin == null
                && since == null
                && until == null;
    }
}
