package dev.perigee.local.replay;

import dev.perigee.local.masking.Masks;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a copy of a record: an id of the run, times moved to now, teams, hosts and secrets by the
 * rules. Everything else stays as its author wrote it, fields that this version does not know too.
 */
final class Rewriter {
    /** Numbers keep the digits that they were written with. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                    .build();

    private static final DateTimeFormatter MILLISECONDS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();
    private static final Set<String> IDENTITY =
            Set.of(
                    "event",
                    "action",
                    "installation_id",
                    "team_id",
                    "user_id",
                    "tool_name",
                    "check_type",
                    "config");

    private final ReplayIds ids;
    private final Rules rules;
    private final Masks masks;
    private final RewriteFindings findings;

    Rewriter(ReplayIds ids, Rules rules, Masks masks, RewriteFindings findings) {
        this.ids = ids;
        this.rules = rules;
        this.masks = masks;
        this.findings = findings;
    }

    /** A copy that is to be sent. */
    record Copy(RecordKey key, RawJson value) {}

    /**
     * Makes the copy.
     *
     * @param record one that was judged to be copied: it is what the contract says
     * @param now when the copy is sent
     */
    Copy copy(Verdict.Selected selected, ConsumerRecord<byte[], byte[]> record, Instant now) {
        var json = (ObjectNode) MAPPER.readTree(record.value());
        var key = new RecordKey(rules.team(selected.key().teamId()), selected.key().userId());
        if (selected.topic() == Topic.COMMANDS) {
            var moved = Duration.between(Instant.ofEpochMilli(record.timestamp()), now);
            command(json, ids.of(selected.id()), moved);
        } else {
            request(json, ids.of(selected.id()));
        }
        return new Copy(key, RawJson.ofBytes(MAPPER.writeValueAsBytes(json)));
    }

    private void command(ObjectNode command, String id, Duration moved) {
        command.put("id", id);
        move(command, "issued_at", moved);
        move(command, "expires_at", moved);
        if (!(command.get("payload") instanceof ObjectNode payload)) {
            return;
        }
        team(payload);
        var config = payload.get("config");
        var slug = config == null ? "" : config.path("server_slug").asString("");
        var editor = new TextEditor(rules, masks, findings, slug);
        if (config instanceof ObjectNode object) {
            team(object);
            new ConfigEditor(editor).edit(object);
        }
        new TreeEditor(editor).edit(payload, IDENTITY);
        var pinned = rules.pinned();
        if (pinned != null && config != null && config.get("args") instanceof ArrayNode args) {
            for (int i = 0; i < args.size(); i++) {
                if (args.get(i).isString() && pinned.isIn(args.get(i).asString())) {
                    args.set(i, pinned.in(args.get(i).asString()));
                    findings.pinned();
                    break; // What follows is the program's name, and the program's own.
                }
            }
        }
        var recorded = rules.recordedServers();
        if (recorded != null && config instanceof ObjectNode object) {
            RecordedConfig.redirect(object, recorded);
        }
    }

    private void request(ObjectNode request, String id) {
        request.put("request_id", id);
        team(request);
        var editor = new TextEditor(rules, masks, findings, null);
        var trees = new TreeEditor(editor);
        var arguments = request.get("arguments");
        if (arguments != null) {
            request.set("arguments", trees.edited(arguments));
        }
        for (var field : new String[] {"tool_path", "query"}) {
            if (request.path(field).isString()) {
                request.put(field, editor.text(request.path(field).asString()));
            }
        }
    }

    private void team(ObjectNode object) {
        JsonNode team = object.path("team_id");
        if (team.isString()) {
            object.put("team_id", rules.team(team.asString()));
        }
    }

    private static void move(ObjectNode command, String field, Duration by) {
        var time = command.path(field);
        if (time.isString()) {
            var moved = OffsetDateTime.parse(time.asString()).toInstant().plus(by);
            command.put(field, MILLISECONDS.format(moved));
        }
    }
}
