package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.masking.Masks;
import dev.perigee.local.masking.SecretField;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

final class RewriterTest {
    private static final Instant APPENDED = Instant.parse("2026-11-20T10:00:01Z");
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:01Z");
    private static final String SECRET = "s3cret-of-production";

    private final RewriteFindings findings = new RewriteFindings();
    private final Masks masks = new Masks(new byte[] {1});

    @TempDir private Path folder;

    @Test
    void movesTimesAndGivesAnIdOfTheRun() {
        var bytes =
                bytes(
                        Rules.none(),
                        """
                        {"id":"c-1","command_type":"restart","correlation_id":"k","issued_at":"2026-11-20T11:00:00+01:00",
                         "expires_at":"2026-11-20T10:05:00.250Z","later":{"n":1.50},
                         "payload":{"installation_id":"i","user_id":"u1","reason":"why not"}}""");
        var copy = Json.tree(bytes);

        assertThat(copy.path("issued_at").asString()).isEqualTo("2026-11-21T12:00:00.000Z");
        assertThat(copy.path("expires_at").asString()).isEqualTo("2026-11-21T12:05:00.250Z");
        assertThat(copy.path("id").asString()).isEqualTo(new ReplayIds("run").of("c-1"));
        assertThat(copy.path("correlation_id").asString()).isEqualTo("k");
        assertThat(copy.at("/payload/reason").asString()).isEqualTo("why not");
        assertThat(new String(bytes, StandardCharsets.UTF_8)).contains("\"later\":{\"n\":1.50}");
    }

    @Test
    void leadsToRecordedServersAndLeavesNothingThatActs() {
        var rules = Rules.none().withRecordedServers("http://h:1");
        var config =
                Json.tree(
                                bytes(
                                        rules,
                                        """
                                        {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                                         "config":{"installation_id":"i","server_slug":"s","team_id":"t1","team_slug":"a","user_id":"u1",
                                         "user_slug":"b","transport_type":"stdio","command":"npx","args":["x"],"env":{"A":"b"}}}}"""))
                        .at("/payload/config");

        assertThat(config.path("transport_type").asString()).isEqualTo("http");
        assertThat(config.path("url").asString()).isEqualTo("http://h:1/servers/s-a-b-i");
        assertThat(config.propertyNames()).doesNotContain("command", "args", "env");
        assertThat(rules.fingerprint()).isNotEqualTo(Rules.none().fingerprint());

        var program =
                Json.tree(
                                bytes(
                                        rules,
                                        """
                                        {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                                         "config":{"installation_id":"i","server_slug":"s","team_id":"t1","team_slug":"a","user_id":"u1",
                                         "user_slug":"b","transport_type":"command","command":"x"}}}"""))
                        .at("/payload/config");
        assertThat(program.path("enabled").asBoolean()).isFalse();
    }

    @Test
    void pinsThePackageAndNotTheProgramOfItsName() {
        var rules = Rules.none().withPackage(new PackageVersion("acme", "2.0"));

        assertThat(argumentsWith(rules, "[\"--from\",\"acme==1.0\",\"acme\"]"))
                .isEqualTo("[\"--from\",\"acme==2.0\",\"acme\"]");
        assertThat(findings.pinnedConfigurations()).isEqualTo(1);
        assertThat(argumentsWith(rules, "[\"other@1\"]")).isEqualTo("[\"other@1\"]");
        assertThat(findings.pinnedConfigurations()).isEqualTo(1);
    }

    private String argumentsWith(Rules rules, String arguments) {
        return Json.tree(
                        bytes(
                                rules,
                                """
                                {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                                 "config":{"installation_id":"i","server_slug":"s","team_id":"t1","user_id":"u1","args":%s}}}"""
                                        .formatted(arguments)))
                .at("/payload/config/args")
                .toString();
    }

    @Test
    void masksNumbersThatMayBeSecrets() {
        var copy =
                new String(
                        bytes(
                                Rules.none(),
                                """
                                {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created",
                                 "config":{"installation_id":"i","server_slug":"s","team_id":"t1","user_id":"u1",
                                 "admin_pin":98765431,"max_tokens":123456,"env":{"PIN":98765432,"PORT":8080},
                                 "args":["--api-key",98765433,"-n",5000]}}}"""),
                        StandardCharsets.UTF_8);

        assertThat(copy)
                .doesNotContain("98765431", "98765432", "98765433")
                .contains("\"max_tokens\":123456", "\"PORT\":8080", "\"-n\",5000]");
    }

    @Test
    void idsDependOnTheRunAndTheOriginalOnly() {
        assertThat(new ReplayIds("a").of("c-1")).isEqualTo(new ReplayIds("a").of("c-1"));
        assertThat(new ReplayIds("a").of("c-1")).isNotEqualTo(new ReplayIds("b").of("c-1"));
        assertThat(new ReplayIds("a").of("c-1")).isNotEqualTo(new ReplayIds("a").of("c-2"));
        assertThat(new ReplayIds("a".repeat(40)).of("c".repeat(200))).hasSizeLessThan(200);
    }

    @Test
    void masksWhateverMayBeASecret() {
        var copy =
                command(
                        Rules.none(),
                        configure(
                                """
                                "transport_type":"stdio","command":"npx",
                                "args":["-y","pkg","--api-key","%1$s","--token=%1$s","--root","/data","PASSWORD=%1$s",
                                        "https://u:%1$s@git.example.com/x?access=%1$s","ghp_%1$s"],
                                "env":{"API_KEY":"%1$s","REGION":"eu-1","LOG_LEVEL":"debug","TZ":"UTC"},
                                "headers":{"Authorization":"Bearer %1$s","Accept":"text/plain"},
                                "url_query_params":{"k":"%1$s"},
                                "secret_metadata":{"TZ":{"required":true}},
                                "oauth":{"refresh_token":"%1$s"},"note":"the key is %1$s\""""
                                        .formatted(SECRET)));
        var config = copy.at("/payload/config");

        assertThat(copy.toString()).doesNotContain(SECRET);
        assertThat(config.at("/env/API_KEY").asString()).startsWith("masked-");
        assertThat(config.at("/env/REGION").asString()).startsWith("masked-");
        assertThat(config.at("/env/LOG_LEVEL").asString()).isEqualTo("debug");
        assertThat(config.at("/env/TZ").asString())
                .as("named by secret_metadata")
                .startsWith("masked-");
        assertThat(config.at("/headers/Accept").asString()).isEqualTo("text/plain");
        assertThat(config.at("/args/1").asString()).isEqualTo("pkg");
        assertThat(config.at("/args/6").asString()).isEqualTo("/data");
        assertThat(config.at("/args/4").asString()).startsWith("--token=masked-");
        assertThat(config.at("/args/8").asString())
                .matches("https://u:masked-\\w+@git.example.com/x\\?access=masked-\\w+");
        assertThat(findings.secrets().keySet())
                .contains(new RewriteFindings.Secret("env", "API_KEY", "s", "masked"));
        assertThat(findings.secrets().keySet().toString()).doesNotContain(SECRET);
    }

    @Test
    @DisplayName("A copy has no secret of a header, user:password@ or JSON argument")
    void masksSecretsInsideArguments() {
        var copy =
                command(
                        Rules.none(),
                        configure(
                                """
                                "transport_type":"stdio","command":"npx",
                                "args":["--header","Authorization: %1$s","-H","X-Any: %1$s","-u","a:%1$s",
                                        "--header=X-Key: %1$s","b:%1$s@db.example","--port","8080",
                                        "{\\"token\\": \\"%1$s\\"}","-c","KEY=%1$s node x.js"]"""
                                        .formatted(SECRET)));
        var args = copy.at("/payload/config/args");

        assertThat(copy.toString()).doesNotContain(SECRET);
        assertThat(args.get(1).asString()).matches("Authorization: masked-\\w+");
        assertThat(args.get(7).asString()).matches("b:masked-\\w+@db.example");
        assertThat(args.get(9).asString()).isEqualTo("8080");
        assertThat(args.get(10).asString()).matches("\\{\"token\": \"masked-\\w+\"}");
    }

    @Test
    void equalSecretsStayEqualAndOthersDiffer() {
        var a = env(command(Rules.none(), configure(env(SECRET))));
        var b = env(command(Rules.none(), configure(env(SECRET + "2"))));

        assertThat(env(command(Rules.none(), configure(env(SECRET))))).isEqualTo(a);
        assertThat(b).isNotEqualTo(a);
        assertThat(new Masks(new byte[] {2}).of(SECRET)).isNotEqualTo(masks.of(SECRET));
    }

    @Test
    void mapsByRulesAndOfOneServerFirst() throws Exception {
        Files.writeString(folder.resolve("key.txt"), "staging-from-file\n");
        var rules =
                rules(
                        """
                        teams: {t1: staging-t1}
                        secrets:
                          env:
                            API_KEY: {env: STAGING_KEY}
                            REGION: keep
                            TZ: mask
                          headers:
                            AUTHORIZATION: {value: Bearer of-staging}
                        servers:
                          s:
                            env:
                              API_KEY: {file: key.txt}
                        hosts:
                          api.example.com: api.staging.example.com
                          "*.prod.internal": fake.test:8443
                          old.example.com: mask
                        """);
        var json =
                configure(
                        """
                        "transport_type":"http","url":"https://api.example.com:9443/mcp?x=1#f",
                        "env":{"API_KEY":"%s","REGION":"eu-1","TZ":"UTC","BASE":"x"},
                        "args":["--host","db.prod.internal","--url","wss://a.b.prod.internal/x","http://old.example.com/"],
                        "headers":{"authorization":"Bearer abc"}"""
                                .formatted(SECRET));
        var record = SourceRecords.of(Topic.COMMANDS, "t1/u1", json, 0, APPENDED.toEpochMilli());
        var copy = rewriter(rules).copy(selected(), record, NOW);
        var config = Json.tree(copy.value().bytes()).at("/payload/config");

        assertThat(copy.key()).isEqualTo(new RecordKey("staging-t1", "u1"));
        assertThat(config.path("team_id").asString()).isEqualTo("staging-t1");
        assertThat(config.at("/env/API_KEY").asString()).isEqualTo("staging-from-file");
        assertThat(config.at("/env/REGION").asString()).isEqualTo("eu-1");
        assertThat(config.at("/env/TZ").asString()).startsWith("masked-");
        assertThat(config.at("/headers/authorization").asString()).isEqualTo("Bearer of-staging");
        assertThat(config.path("url").asString())
                .matches("https://api.staging.example.com:9443/mcp\\?x=masked-\\w+#f");
        assertThat(config.at("/args/1").asString()).isEqualTo("fake.test:8443");
        assertThat(config.at("/args/3").asString()).isEqualTo("wss://fake.test:8443/x");
        assertThat(config.at("/args/4").asString()).isEqualTo("http://masked.invalid/");
        assertThat(rules.replacement(SecretField.ENV, "other", "API_KEY", false))
                .isEqualTo(new Replacement.Value("from-environment"));
        assertThat(rules.toString()).doesNotContain("from-environment", "of-staging");
    }

    @Test
    void argumentsOfCallsLoseSecretsOnly() {
        var json =
                """
                {"request_id":"r","team_id":"t1","user_id":"u1","method":"tools/call","tool_path":"s:t",
                 "arguments":{"message":"hi","key":"k","password":"%s","n":1e3,"deep":[{"url":"https://x.test/?q=1&token=%s"}]}}"""
                        .formatted(SECRET, SECRET);
        var record = SourceRecords.of(Topic.TOOL_REQUESTS, "t1/u1", json, 0, 0);
        var selected =
                new Verdict.Selected(
                        Topic.TOOL_REQUESTS, "tools/call", "r", new RecordKey("t1", "u1"));
        var copy = Json.tree(rewriter(Rules.none()).copy(selected, record, NOW).value().bytes());

        assertThat(copy.path("request_id").asString()).isEqualTo(new ReplayIds("run").of("r"));
        assertThat(copy.at("/arguments/message").asString()).isEqualTo("hi");
        assertThat(copy.at("/arguments/key").asString()).isEqualTo("k");
        assertThat(copy.at("/arguments/password").asString()).startsWith("masked-");
        assertThat(copy.at("/arguments/deep/0/url").asString())
                .matches("https://x.test/\\?q=1&token=masked-\\w+");
    }

    private Rules rules(String yaml) throws Exception {
        var file = Files.writeString(folder.resolve("rules.yaml"), yaml);
        return RulesFile.read(file, Map.of("STAGING_KEY", "from-environment")::get);
    }

    private static String configure(String fields) {
        return """
        {"id":"c-1","command_type":"configure","payload":{"event":"mcp_installation_created","team_id":"t1",
         "config":{"installation_id":"i","server_slug":"s","team_id":"t1","team_slug":"acme","user_id":"u1",
         "user_slug":"alice",%s}}}"""
                .formatted(fields);
    }

    private static String env(String value) {
        return "\"transport_type\":\"stdio\",\"command\":\"npx\",\"env\":{\"A\":\"" + value + "\"}";
    }

    private static String env(JsonNode copy) {
        return copy.at("/payload/config/env/A").asString();
    }

    private JsonNode command(Rules rules, String json) {
        return Json.tree(bytes(rules, json));
    }

    private byte[] bytes(Rules rules, String json) {
        var record = SourceRecords.of(Topic.COMMANDS, "t1/u1", json, 0, APPENDED.toEpochMilli());
        return rewriter(rules).copy(selected(), record, NOW).value().bytes();
    }

    private static Verdict.Selected selected() {
        return new Verdict.Selected(Topic.COMMANDS, "x", "c-1", new RecordKey("t1", "u1"));
    }

    private Rewriter rewriter(Rules rules) {
        return new Rewriter(new ReplayIds("run"), rules, masks, findings);
    }
}
