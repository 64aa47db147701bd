package dev.perigee.protocol.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsReaderTest {
    private static final Setting<Duration> RETENTION =
            Setting.of("link.retention", SettingType.duration(), "30s", "How long.");
    private static final Setting<Integer> LIMIT =
            Setting.optional("worker.max-processes", SettingType.integer(1, 10), "How many.");
    private static final Setting<String> TOKEN =
            Setting.required("link.token", SettingType.string(), "The token.").asSecret();
    private static final Setting<Map<String, String>> KAFKA =
            Setting.passThrough("kafka", "For the Kafka client.");
    private static final SettingsSchema SCHEMA =
            SettingsSchema.of("worker", RETENTION, LIMIT, TOKEN, KAFKA);

    @TempDir Path directory;

    @Test
    void takesDefaults() {
        var settings = SCHEMA.read(Map.of("link.token", "x"));

        assertThat(settings.value(RETENTION)).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.valueOrNull(LIMIT)).isNull();
        assertThat(settings.value(KAFKA)).isEmpty();
        assertThatThrownBy(() -> settings.value(LIMIT)).hasMessageContaining("optional");
    }

    @Test
    void lastSourceWins() throws IOException {
        var file = file("link.retention=1s\nlink.token=t\n");
        var fromFile = new SettingsReader(SCHEMA).addFile(file);
        assertThat(fromFile.read().value(RETENTION)).isEqualTo(Duration.ofSeconds(1));

        fromFile.addEnvironment(Map.of("PERIGEE_LINK_RETENTION", "2s"));
        assertThat(fromFile.read().value(RETENTION)).isEqualTo(Duration.ofSeconds(2));

        fromFile.addArguments(List.of("link.retention=3s", "link.retention=4s"));
        assertThat(fromFile.read().value(RETENTION)).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void readsASecretFromAFile() throws IOException {
        var secret = file("s3cret\n");

        for (var reader :
                List.of(
                        new SettingsReader(SCHEMA)
                                .addEnvironment(
                                        Map.of("PERIGEE_LINK_TOKEN_FILE", secret.toString())),
                        new SettingsReader(SCHEMA)
                                .addArguments(List.of("link.token-file=" + secret)))) {
            assertThat(reader.read().value(TOKEN)).isEqualTo("s3cret");
        }
    }

    @Test
    void handsOnWhatBelongsToTheKafkaClient() {
        var settings =
                new SettingsReader(SCHEMA)
                        .addEnvironment(Map.of("PERIGEE_KAFKA_SASL_JAAS_CONFIG", "jaas"))
                        .addArguments(List.of("kafka.security.protocol=SSL", "link.token=x"))
                        .read();

        assertThat(settings.value(KAFKA))
                .containsOnly(
                        Map.entry("sasl.jaas.config", "jaas"),
                        Map.entry("security.protocol", "SSL"));
    }

    @Test
    void leavesOtherVariablesAlone() {
        var settings =
                new SettingsReader(SCHEMA)
                        .addEnvironment(
                                Map.of(
                                        "PATH", "/bin",
                                        "PERIGEE_BOOTSTRAP", "b:1",
                                        "PERIGEE_KAFKA_CONFIG", "/f",
                                        "PERIGEE_LINK_RETENTION", "",
                                        "PERIGEE_LINK_TOKEN", "x"))
                        .read();

        assertThat(settings.value(KAFKA)).isEmpty();
        assertThat(settings.value(RETENTION)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void reportsEverythingAtOnce() throws IOException {
        var file = file("link.retentoin=1s\nworker.max-processes=11\n");
        var reader =
                new SettingsReader(SCHEMA)
                        .addFile(file)
                        .addFile(directory.resolve("missing.properties"))
                        .addEnvironment(Map.of("PERIGEE_LINK_RETENTIONS", "1s"))
                        .addArguments(List.of("link.retention=soon", "novalue", "=x"));

        var thrown = catchThrowableOfType(InvalidSettingsException.class, reader::read);

        assertThat(thrown.problems())
                .map(SettingProblem::toString)
                .containsExactlyInAnyOrder(
                        "link.retentoin: no such setting, the nearest is link.retention (from "
                                + file
                                + ")",
                        "--config: the file cannot be read (from "
                                + directory.resolve("missing.properties")
                                + ")",
                        "PERIGEE_LINK_RETENTIONS: no such setting, the nearest is"
                                + " PERIGEE_LINK_RETENTION (from the environment)",
                        "novalue: write it as key=value (from --set)",
                        ": write it as key=value (from --set)",
                        "link.retention: \"soon\" is not a duration such as 500ms, 30s or 5m (from"
                                + " --set)",
                        "worker.max-processes: \"11\" is not a whole number from 1 to 10 (from "
                                + file
                                + ")",
                        "link.token: is required, set it by --set, PERIGEE_LINK_TOKEN or a --config"
                                + " file");
        assertThat(thrown).hasMessageStartingWith("The configuration of the worker is not valid:");
    }

    @Test
    void reportsASecretAndItsFileTogether() {
        var reader =
                new SettingsReader(SCHEMA)
                        .add("a test", Map.of("link.token", "x", "link.token-file", "/y"));

        assertThatThrownBy(reader::read)
                .hasMessageContaining("link.token-file: link.token is also set, keep one of them");
    }

    @Test
    void reportsASecretFileThatIsNotThere() {
        var missing = directory.resolve("token");

        assertThatThrownBy(() -> SCHEMA.read(Map.of("link.token-file", missing.toString())))
                .hasMessageContaining(
                        "link.token-file: the file "
                                + missing
                                + " cannot be read (from the caller)");
    }

    @Test
    void reportsARepeatedKeyAndAMalformedFile() throws IOException {
        var repeated = file("link.token=a\nlink.token=b\n");
        assertThatThrownBy(() -> new SettingsReader(SCHEMA).addFile(repeated).read())
                .hasMessageContaining("link.token: the key is there twice, keep one");

        var malformed = file("link.token=\\u12\n");
        assertThatThrownBy(() -> new SettingsReader(SCHEMA).addFile(malformed).read())
                .hasMessageContaining("malformed \\u escape");
    }

    @Test
    void reportsABrokenRule() {
        var schema =
                SCHEMA.withRule(
                        settings ->
                                settings.value(RETENTION).isZero()
                                        ? "link.retention must not be 0"
                                        : null);

        assertThat(schema.read(Map.of("link.token", "x"))).isNotNull();
        assertThatThrownBy(() -> schema.read(Map.of("link.token", "x", "link.retention", "0")))
                .hasMessageContaining("link.retention must not be 0");
    }

    @Test
    void neverShowsASecret() {
        var longOnly =
                Setting.required(
                                "link.token",
                                SettingType.string().where(text -> text.length() > 20, "long"),
                                "The token.")
                        .asSecret();
        var strict = SettingsSchema.of("worker", longOnly);
        assertThatThrownBy(() -> strict.read(Map.of("link.token", "hunter2")))
                .hasMessageContaining("its value is not a string, long")
                .hasMessageNotContaining("hunter2");

        var settings = SCHEMA.read(Map.of("link.token", "hunter2", "kafka.ssl.key", "hunter2"));
        assertThat(settings.toString())
                .isEqualTo("{kafka.*=(secret), link.retention=PT30S, link.token=(secret)}");
        assertThat(Json.raw(settings).text())
                .contains("link.retention=PT30S")
                .doesNotContain("hunter2");
    }

    private Path file(String content) throws IOException {
        return Files.writeString(
                Files.createTempFile(directory, "perigee", ".properties"), content);
    }
}
