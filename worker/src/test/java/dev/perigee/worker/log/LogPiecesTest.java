package dev.perigee.worker.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LogPiecesTest {
    private final List<String> lines = new ArrayList<>();

    @Test
    @DisplayName("PRO-98: chunks with several lines, characters over two chunks, blank lines")
    void splitsLines() {
        var splitter = new LineSplitter(1024);
        var bytes = "ä1\n\n  \n2\r\nlast".getBytes(StandardCharsets.UTF_8);
        for (byte one : bytes) {
            splitter.accept(ByteBuffer.wrap(new byte[] {one}), lines::add);
        }
        assertThat(lines).containsExactly("ä1", "2");
        splitter.finish(lines::add);
        assertThat(lines).containsExactly("ä1", "2", "last");
    }

    @Test
    @DisplayName("PRO-100: long lines are cut at a character")
    void cutsLongLines() {
        var splitter = new LineSplitter(16);
        splitter.accept(bytes("é".repeat(20) + "\nnext\n" + "x".repeat(16) + "\n"), lines::add);
        assertThat(lines).containsExactly("é".repeat(6) + "…", "next", "x".repeat(16));
        assertThat(lines.getFirst().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(16);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "Connection ERROR,error",
        "FATAL,error",
        "java.lang.Exception,error",
        "it failed,error",
        "Warning: old,warn",
        "DEBUG x,debug",
        "stack trace,debug",
        "Server running on stdio,info"
    })
    @DisplayName("PRO-96: levels")
    void infersLevels(String message, String level) {
        assertThat(LevelInference.of(message)).isEqualTo(level);
    }

    @Test
    void limitsTheAverage() {
        var limit = new LogRateLimit(20, Duration.ofSeconds(3));
        long now = 1_000_000;
        int admitted = 0;
        for (int i = 0; i < 1000; i++) {
            admitted += limit.admit(now) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(60);
        assertThat(limit.takeDropped()).isEqualTo(940);
        assertThat(limit.takeDropped()).isZero();
        now += Duration.ofSeconds(1).toNanos();
        for (int i = 0; i < 1000; i++) {
            admitted += limit.admit(now) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(80);
    }

    private static SecretMask mask(Map<String, String> env) {
        var config =
                Json.read(
                        """
                        {"installation_id": "i", "server_slug": "s", "team_id": "t",
                         "team_slug": "t", "user_id": "u", "user_slug": "u",
                         "transport_type": "stdio", "command": "node",
                         "env": %s,
                         "headers": {"H": "Bearer abc"},
                         "url_query_params": {"q": "query-secret"}}
                        """
                                .formatted(Json.raw(env).text())
                                .getBytes(StandardCharsets.UTF_8),
                        ServerConfig.class);
        return SecretMask.of(config);
    }

    @Test
    void masksConfiguredSecrets() {
        var mask = mask(Map.of("A", "hunter22", "B", "hunter22-longer", "C", "short"));
        assertThat(mask.apply("hunter22-longer hunter22 short Bearer abc ?q=query-secret"))
                .isEqualTo("*** *** short *** ?q=***");
        assertThat(mask.toString()).doesNotContain("hunter");
    }

    @Test
    @DisplayName("PRO-102: secrets among arguments and in a URL are masked, too")
    void masksArgumentsAndUrls() {
        var config =
                Json.read(
                        """
                        {"installation_id": "i", "server_slug": "s", "team_id": "t",
                         "team_slug": "t", "user_id": "u", "user_slug": "u",
                         "transport_type": "stdio", "command": "node",
                         "args": ["-y", "package-name", "--api-key", "argument-1",
                                  "--access_token=argument-2", "--no-auth", "--verbose", "directory",
                                  "-password", "argument-3"],
                         "url": "https://alice:pass%20word@host.example/path?apikey=in-the-url"}
                        """
                                .getBytes(StandardCharsets.UTF_8),
                        ServerConfig.class);
        var mask = SecretMask.of(config);
        assertThat(mask.apply("argument-1 argument-2 argument-3")).isEqualTo("*** *** ***");
        assertThat(mask.apply("package-name --api-key --verbose directory"))
                .isEqualTo("package-name --api-key --verbose directory");
        assertThat(mask.apply("https://alice:pass%20word@host.example/path?apikey=in-the-url"))
                .isEqualTo("https://***@host.example/path?apikey=***");
        assertThat(mask.apply("the password is pass word")).isEqualTo("the password is ***");
    }

    @Test
    @DisplayName("So are those in header, URL and user:password@ arguments")
    void masksHeaderAndUrlArguments() {
        var config =
                Json.read(
                        """
                        {"installation_id": "i", "server_slug": "s", "team_id": "t",
                         "team_slug": "t", "user_id": "u", "user_slug": "u",
                         "transport_type": "stdio", "command": "npx",
                         "headers": {"Authorization": "Bearer in-header-0"},
                         "args": ["mcp-remote", "https://host.example/mcp?api_key=argument-1",
                                  "--header", "Authorization: Bearer argument-2",
                                  "-H", "X-Api-Key:argument-3", "-u", "alice:argument-4",
                                  "postgres://bob:argument%2D5@db.example/x",
                                  "carol:argument-6@db.example", "{\\"token\\": \\"argument-7\\"}",
                                  "--env", "SERVICE_KEY=argument-8", "--port", "8080000"]}
                        """
                                .getBytes(StandardCharsets.UTF_8),
                        ServerConfig.class);
        var mask = SecretMask.of(config);
        for (int i = 1; i <= 8; i++) {
            assertThat(mask.apply("refused: argument-" + i)).isEqualTo("refused: ***");
        }
        assertThat(mask.apply("refused: in-header-0")).isEqualTo("refused: ***");
        assertThat(mask.apply("mcp-remote https://host.example/mcp --header Authorization 8080000"))
                .isEqualTo("mcp-remote https://host.example/mcp --header Authorization 8080000");
    }

    @Test
    @DisplayName("So are encoded ones, and those of a command that is a whole line")
    void masksEncodedSecrets() {
        var mask = mask(Map.of("A", "QUERY SECRET/66"));
        assertThat(mask.apply("QUERY SECRET/66 QUERY+SECRET%2F66 QUERY%20SECRET%2F66"))
                .isEqualTo("*** *** ***");
        var config =
                Json.read(
                        """
                        {"installation_id": "i", "server_slug": "s", "team_id": "t",
                         "team_slug": "t", "user_id": "u", "user_slug": "u",
                         "transport_type": "stdio", "command": "node --token in-command"}
                        """
                                .getBytes(StandardCharsets.UTF_8),
                        ServerConfig.class);
        assertThat(SecretMask.of(config).apply("in-command")).isEqualTo("***");
    }

    @Test
    @DisplayName("a secret of several lines is one in each line")
    void masksSecretsOfSeveralLines() {
        var mask = mask(Map.of("KEY", "-----BEGIN KEY-----\nMIIEvQIBADAN\r\n  c3ByYXls\n"));
        assertThat(mask.apply("read MIIEvQIBADAN")).isEqualTo("read ***");
        assertThat(mask.apply("then c3ByYXls.")).isEqualTo("then ***.");
    }

    @Test
    @DisplayName("a secret whose end was cut off with its line's is one, too")
    void masksSecretsThatAreCutOff() {
        var mask = mask(Map.of("KEY", "top-secret-value"));
        var lines = new ArrayList<String>();
        var splitter = new LineSplitter(24);
        splitter.accept(
                ByteBuffer.wrap("token is top-secret-value\n".getBytes(StandardCharsets.UTF_8)),
                lines::add);
        assertThat(lines).containsExactly("token is top-secret-v…");
        assertThat(mask.apply(lines.getFirst())).isEqualTo("token is ***…");
        assertThat(mask.apply("to…")).isEqualTo("to…");
        assertThat(mask.apply("…")).isEqualTo("…");
    }
}
