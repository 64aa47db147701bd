package dev.perigee.local.cli;

import dev.perigee.local.erase.Holding;
import dev.perigee.local.erase.Lifetime;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.topic.Cleanup;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows what of each topic holds a user, and what becomes of it without anybody's doing. */
final class EraseReport {
    private static final List<String> COLUMNS =
            List.of("TOPIC", "READ", "HOLD THE USER", "CURRENT", "GONE BY");

    private final TopicNames names;
    private final List<Holding> holdings;
    private final Map<Topic, Lifetime> lifetimes;
    private final Output output;

    /**
     * One topic, for machines.
     *
     * @param read how many records it has
     * @param records how many hold the user
     * @param current of these in a compacted topic how many no later record replaced
     * @param newest time of the newest of them
     * @param goneBy when retention has removed all, null where it does not
     * @param compactedBy when compaction has removed what was replaced, null where no time is set
     */
    private record Row(
            String topic,
            long read,
            long records,
            int current,
            @Nullable Instant newest,
            @Nullable Instant goneBy,
            @Nullable Instant compactedBy) {}

    EraseReport(
            TopicNames names,
            List<Holding> holdings,
            Map<Topic, Lifetime> lifetimes,
            Output output) {
        this.names = names;
        this.holdings = holdings;
        this.lifetimes = lifetimes;
        this.output = output;
    }

    /** How many records hold the user. */
    long records() {
        return holdings.stream().mapToLong(Holding::records).sum();
    }

    void show() {
        if (output.isJson()) {
            holdings.forEach(each -> output.json(row(each)));
            return;
        }
        output.table(COLUMNS, holdings.stream().map(this::cells).toList());
    }

    /** Says what is left; 0 where nothing stays. */
    int verdict(Consumer<String> say) {
        var staying = names(holdings.stream().filter(each -> each.lastingCount() > 0).toList());
        if (!staying.isEmpty()) {
            say.accept(
                    "Still current on "
                            + staying
                            + ": somebody installs for the user, or a gateway does not write. Stop"
                            + " it, and run it again.");
        }
        var kept = names(holdings.stream().filter(this::isKept).toList());
        if (!kept.isEmpty()) {
            say.accept(
                    "Nothing removes the records on "
                            + kept
                            + ": set retention.ms of these topics, or delete the topics.");
        }
        if (!staying.isEmpty() || !kept.isEmpty()) {
            return ExitCode.FAILED;
        }
        say.accept(
                records() == 0
                        ? "No record holds the user."
                        : "The user is uninstalled. %d records are left to the brokers;"
                                        .formatted(records())
                                + " 'perigee erase USER --check' exits 0 when they are gone.");
        return ExitCode.OK;
    }

    private boolean isKept(Holding each) {
        var lifetime = lifetime(each);
        return each.records() > 0
                && each.topic().cleanup() != Cleanup.COMPACT
                && (!lifetime.deletes() || lifetime.retention() == null);
    }

    private String names(List<Holding> those) {
        return those.stream().map(each -> names.of(each.topic())).collect(Collectors.joining(", "));
    }

    private Lifetime lifetime(Holding holding) {
        return Objects.requireNonNull(lifetimes.get(holding.topic()), "asked for each");
    }

    private Row row(Holding each) {
        var newest = each.newest();
        var replaced = each.newestOrReplacement();
        var lifetime = lifetime(each);
        return new Row(
                names.of(each.topic()),
                each.read(),
                each.records(),
                each.currentCount(),
                newest,
                newest == null ? null : lifetime.goneBy(newest),
                replaced == null ? null : lifetime.compactedBy(replaced));
    }

    private List<String> cells(Holding each) {
        return List.of(
                names.of(each.topic()),
                String.valueOf(each.read()),
                String.valueOf(each.records()),
                lifetime(each).compacts() ? String.valueOf(each.currentCount()) : "-",
                goneBy(each));
    }

    private String goneBy(Holding each) {
        var row = row(each);
        if (row.newest() == null) {
            return "";
        }
        var lifetime = lifetime(each);
        if (lifetime.deletes()) {
            return row.goneBy() == null
                    ? "never: retention.ms is not set"
                    : row.goneBy() + ", by retention";
        }
        if (each.lastingCount() > 0) {
            return "not before it is uninstalled";
        }
        if (each.currentCount() > 0) {
            return "after quarantine.memory, by its gateway";
        }
        return row.compactedBy() == null
                ? "when it is compacted: max.compaction.lag.ms is not set"
                : row.compactedBy() + ", by compaction";
    }
}
