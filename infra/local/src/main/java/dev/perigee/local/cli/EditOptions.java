package dev.perigee.local.cli;

import dev.perigee.gateway.deadletter.Drafter.Changes;
import dev.perigee.gateway.deadletter.Edits;
import dev.perigee.part.CliException;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.RecordKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that change records before they are put back. */
final class EditOptions {
    @Option(
            names = "--edit",
            paramLabel = "FILE",
            description =
                    "A JSON merge patch (RFC 7396) for each value; a value that is no JSON object"
                            + " becomes what the patch says.")
    private @Nullable Path edit;

    @Option(
            names = "--set",
            paramLabel = "PATH=VALUE",
            description =
                    "Set one field, such as payload.config.command=node; JSON or a text, null"
                            + " removes it. After --edit, may be repeated.")
    private List<String> sets = List.of();

    @Option(names = "--new-key", paramLabel = "TEAM/USER", description = "Write under this key.")
    private @Nullable String newKey;

    @Option(
            names = "--expires-in",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            description = "Let commands expire so long from now, such as 5m.")
    private @Nullable Duration expiresIn;

    @Option(
            names = "--allowed-replies",
            paramLabel = "PATTERN",
            split = ",",
            defaultValue = "{prefix}*",
            description = "What the gateways have as replies.allowed-topics (default {prefix}*).")
    private List<String> replies = List.of();

    @Option(names = "--force", description = "Put back also what would become a dead letter again.")
    private boolean force;

    Changes changes() {
        try {
            if (newKey != null) {
                RecordKey.parse(newKey.getBytes(StandardCharsets.UTF_8));
            }
        } catch (InvalidRecordException e) {
            throw CliException.usage("--new-key: " + e.getMessage());
        }
        return new Changes(edits(), newKey, expiresIn, replies, force);
    }

    private Edits edits() {
        var edits = edit == null ? Edits.none() : fromFile(edit);
        for (var set : sets) {
            var at = set.indexOf('=');
            if (at < 1) {
                throw CliException.usage("--set '" + set + "' sets nothing: write PATH=VALUE");
            }
            edits = edits.set(set.substring(0, at), set.substring(at + 1));
        }
        return edits;
    }

    private static Edits fromFile(Path file) {
        try {
            return Edits.none().patch(Files.readString(file));
        } catch (IOException e) {
            throw CliException.usage("The file " + file + " cannot be read");
        } catch (InvalidRecordException e) {
            throw CliException.usage(file + " is no merge patch: " + e.getMessage());
        }
    }
}
